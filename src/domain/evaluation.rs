//! How good a ranking is, judged by questions whose right answers are known (surfaces.md §9.6).

use std::collections::BTreeMap;

use serde_json::Value;

/// A question and the items that answer it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The words.
    pub query: String,
    /// What it is about.
    pub description: Option<String>,
    /// How it wants to be answered: `keyword`, `semantic`, `hybrid`.
    pub mode: Option<String>,
    /// How much each item helps: 1 where the file says only that it does.
    pub grades: BTreeMap<String, f64>,
}

/// The marks of a ranking at a cutoff, each 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marks {
    /// Discounted gain against that of the best order; gain `2^grade - 1`, discount `log2(rank + 1)`.
    pub ndcg: f64,
    /// One over the rank of the first right answer.
    pub mrr: f64,
    /// Right answers among those within the cutoff, the cutoff being the whole.
    pub precision: f64,
    /// Right answers within the cutoff among all right ones.
    pub recall: f64,
}

impl Marks {
    /// The mean of many; nothing at all has no marks.
    pub fn mean(all: &[Marks]) -> Marks {
        let mean = |of: fn(&Marks) -> f64| {
            if all.is_empty() { 0.0 } else { all.iter().map(of).sum::<f64>() / all.len() as f64 }
        };
        Marks {
            ndcg: mean(|m| m.ndcg),
            mrr: mean(|m| m.mrr),
            precision: mean(|m| m.precision),
            recall: mean(|m| m.recall),
        }
    }
}

impl Judged {
    /// Reads a file of questions: a list, or an object with the list under `queries`. A question has `query`, and
    /// `relevant_ids` (ids, or `{id, grade}`) or `relevance` (grades by id).
    ///
    /// Errors: a sentence that says which question is none.
    pub fn read(text: &str) -> Result<Vec<Judged>, String> {
        let file: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let list = file.as_array().or_else(|| file.get("queries")?.as_array());
        let list = list.ok_or("it is neither a list nor an object with the list `queries`")?;
        let read =
            |(n, value)| Judged::one(value).map_err(|problem| format!("question {}: {problem}", n + 1));
        list.iter().enumerate().map(read).collect()
    }

    fn one(value: &Value) -> Result<Judged, String> {
        let text =
            |key: &str| value.get(key).and_then(Value::as_str).map(str::trim).filter(|t| !t.is_empty());
        let query = text("query").ok_or("it has no `query`")?;
        let mut grades = BTreeMap::new();
        let mut add = |id: &str, grade: Option<f64>| {
            grades.insert(id.trim().to_owned(), grade.unwrap_or(1.0).max(0.0));
        };
        for entry in value.get("relevant_ids").and_then(Value::as_array).into_iter().flatten() {
            match (entry.as_str(), entry.get("id").and_then(Value::as_str)) {
                (Some(id), _) => add(id, None),
                (None, Some(id)) => {
                    add(id, entry.get("grade").or_else(|| entry.get("relevance")).and_then(Value::as_f64));
                }
                _ => return Err("`relevant_ids` holds something that names no item".to_owned()),
            }
        }
        for key in ["relevance", "grades"] {
            for (id, grade) in value.get(key).and_then(Value::as_object).into_iter().flatten() {
                add(id, grade.as_f64());
            }
        }
        grades.retain(|_, grade| *grade > 0.0);
        if grades.is_empty() {
            return Err("it names no item that answers it".to_owned());
        }
        Ok(Judged {
            query: query.to_owned(),
            description: text("description").map(str::to_owned),
            mode: text("mode").map(str::to_owned),
            grades,
        })
    }

    /// The marks of a ranking, best first, at cutoff `k`.
    pub fn marks(&self, ranked: &[String], k: usize) -> Marks {
        let grade = |id: &String| self.grades.get(id).copied().unwrap_or(0.0);
        let seen = &ranked[..ranked.len().min(k)];
        let gain = |(rank, grade): (usize, f64)| (grade.exp2() - 1.0) / ((rank + 2) as f64).log2();
        let mut best: Vec<f64> = self.grades.values().copied().collect();
        best.sort_by(|a, b| b.total_cmp(a));
        let ideal: f64 = best.into_iter().take(k).enumerate().map(gain).sum();
        let found: f64 = seen.iter().map(grade).enumerate().map(gain).sum();
        let right = seen.iter().filter(|id| grade(id) > 0.0).count() as f64;
        let first = seen.iter().position(|id| grade(id) > 0.0);
        Marks {
            ndcg: if ideal > 0.0 { found / ideal } else { 0.0 },
            mrr: first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64),
            precision: if k == 0 { 0.0 } else { right / k as f64 },
            recall: right / self.grades.len() as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|&id| id.to_owned()).collect()
    }

    #[test]
    fn marks_follow_their_definitions() {
        let judged =
            Judged::read(r#"[{"query": "q", "relevant_ids": ["a", {"id": "b", "grade": 2}]}]"#).unwrap();
        let perfect = judged[0].marks(&ids(&["b", "a", "x"]), 10);
        assert_eq!((perfect.ndcg, perfect.mrr, perfect.precision, perfect.recall), (1.0, 1.0, 0.2, 1.0));
        let late = judged[0].marks(&ids(&["x", "a", "y", "b"]), 3);
        let log = |rank: f64| (rank + 1.0).log2();
        let want = (1.0 / log(2.0)) / (3.0 / log(1.0) + 1.0 / log(2.0));
        assert!((late.ndcg - want).abs() < 1e-12);
        assert_eq!((late.mrr, late.recall), (0.5, 0.5));
        assert_eq!(judged[0].marks(&[], 10), Marks::default());
        let mean = Marks::mean(&[perfect, Marks::default()]);
        assert_eq!((mean.mrr, Marks::mean(&[])), (0.5, Marks::default()));
    }

    #[test]
    fn what_is_no_question_is_named() {
        for (text, problem) in [
            ("{}", "neither a list"),
            ("[{\"relevant_ids\": [\"a\"]}]", "question 1: it has no `query`"),
            ("{\"queries\": [{\"query\": \"x\", \"relevant_ids\": []}]}", "no item that answers"),
            ("[{\"query\": \"x\", \"relevant_ids\": [3]}]", "names no item"),
        ] {
            assert!(Judged::read(text).unwrap_err().contains(problem), "{text}");
        }
        assert_eq!(
            Judged::read(r#"[{"query": "x", "relevance": {"a": 3, "b": 0}}]"#).unwrap()[0].grades.len(),
            1
        );
    }
}
