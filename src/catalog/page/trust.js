// The reader's rule for levels: what a served level is worth on the reader's day.

export const LEVELS = ["T0", "T1", "T2", "T3", "T4"];

export const LEVEL_NAMES = { T0: "unattributed", T1: "attributed", T2: "reviewed", T3: "exercised", T4: "proven" };

/** T3 and T4 are T2 from their expiry on, and when they have none; every other level is itself. */
export function effectiveTrust(level, expiresOn, today) {
  if (!LEVELS.includes(level)) return "T0";
  const decays = level === "T3" || level === "T4";
  return decays && (!expiresOn || today >= expiresOn) ? "T2" : level;
}

/** Whether nobody vouches for the bodies of a record of this level. */
export function isUntrusted(level) {
  return LEVELS.indexOf(level) < LEVELS.indexOf("T2");
}

/** The whole days from one day to another. */
export function daysBetween(from, to) {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86400000);
}

/** The reader's day in UTC; `given` stands for it where it is a day. */
export function readerDay(given) {
  if (given === null || given === undefined || given === "") return new Date().toISOString().slice(0, 10);
  const day = new Date(`${given}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(given) || Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== given) {
    throw new RangeError(`today '${given}' is no day: YYYY-MM-DD.`);
  }
  return given;
}
