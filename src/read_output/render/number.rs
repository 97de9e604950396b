//! Numbers as JavaScript prints them: `1`, `0.1`, `1e+21`, never `1.0`.

use serde_json::Number;

use super::Sink;

/// Writes a number.
pub(super) fn write(out: &mut impl Sink, number: &Number) {
    if let Some(n) = number.as_u64() {
        return digits(out, n, false);
    }
    if let Some(n) = number.as_i64() {
        return digits(out, n.unsigned_abs(), n < 0);
    }
    out.text(&javascript(number.as_f64().unwrap_or_default()));
}

fn digits(out: &mut impl Sink, mut n: u64, negative: bool) {
    let mut buffer = [0u8; 21];
    let mut at = buffer.len();
    loop {
        at -= 1;
        buffer[at] = b'0' + u8::try_from(n % 10).unwrap_or_default();
        n /= 10;
        if n == 0 {
            break;
        }
    }
    if negative {
        at -= 1;
        buffer[at] = b'-';
    }
    out.text(std::str::from_utf8(&buffer[at..]).unwrap_or_default());
}

/// `Number.prototype.toString`.
fn javascript(n: f64) -> String {
    if n == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{n:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-6..21).contains(&exponent) {
        return format!("{n}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_look_like_javascript() {
        for (text, want) in [
            ("0", "0"),
            ("-0.0", "0"),
            ("1.0", "1"),
            ("0.1", "0.1"),
            ("-12.50", "-12.5"),
            ("1e21", "1e+21"),
            ("1e20", "100000000000000000000"),
            ("1e-7", "1e-7"),
            ("0.000001", "0.000001"),
            ("1.5e-9", "1.5e-9"),
            ("18446744073709551615", "18446744073709551615"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("123456789.125", "123456789.125"),
        ] {
            let number: Number = serde_json::from_str(text).unwrap();
            let mut out = String::new();
            write(&mut out, &number);
            assert_eq!(out, want, "{text}");
        }
    }
}
