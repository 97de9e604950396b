//! Items that look like the same piece of work, gathered in clusters (surfaces.md §17; product.md §4).
//!
//! Titles that differ in nothing but case and blanks are taken together first. Two other titles are compared when they
//! share an issue code, or the numbers in them and one of their rarest words: with `k` words, of which a share `t` must
//! agree, two titles that are alike share one of the `k - ceil(t * k) + 1` rarest. So nothing is compared that cannot
//! be alike, and no size is too large.

use std::collections::{BTreeMap, HashMap};

use super::similarity::{Reason, Title, share, shared};
use crate::model::records::Record;

/// A member of a cluster.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// The item.
    pub record: Record<'a>,
    /// How much it looks like the nearest other member, 0 to 1.
    pub score: f64,
    /// Why.
    pub reason: Reason,
}

/// Items that look alike; each looks like at least one of the others.
#[derive(Clone, Debug)]
pub struct Cluster<'a> {
    /// The members, by folded id.
    pub members: Vec<Member<'a>>,
    /// The best score in it.
    pub max_score: f64,
}

/// What a sweep found, and what it cost.
#[derive(Clone, Debug, Default)]
pub struct Sweep<'a> {
    /// The clusters, the most alike first, then by the id of their first member.
    pub clusters: Vec<Cluster<'a>>,
    /// How many items were looked at.
    pub items: usize,
    /// How many pairs of different titles were compared.
    pub pairs: usize,
}

/// Gathers these items, which are in the order of their ids, in clusters of at least this likeness.
pub fn sweep<'a>(records: impl Iterator<Item = Record<'a>>, threshold: f64) -> Sweep<'a> {
    let mut items = 0;
    let groups = Groups::of(records.inspect(|_| items += 1));
    let mut joins = Joins::new(groups.titles.len());
    for (group, members) in groups.members.iter().enumerate() {
        if members.len() > 1 {
            joins.note(group, 1.0, Reason::ExactTitle);
        }
    }
    let candidates = groups.candidates(threshold);
    for (a, b) in &candidates {
        let (score, reason) = groups.score(*a as usize, *b as usize);
        if score >= threshold && score > 0.0 {
            joins.join(*a as usize, *b as usize, score, reason);
        }
    }
    Sweep { clusters: groups.clusters(&mut joins), items, pairs: candidates.len() }
}

/// The different titles, each with the items that have it.
#[derive(Default)]
struct Groups<'a> {
    titles: Vec<Title>,
    members: Vec<Vec<Record<'a>>>,
    known: Numbers<String>,
    /// The words of each title as numbers, the rarest first.
    words: Vec<Vec<u32>>,
    /// The words with a digit in each title, as a number for all together.
    numbers: Vec<u32>,
}

/// Numbers of texts, in the order in which they were met.
type Numbers<T> = HashMap<T, u32, foldhash::fast::FixedState>;

impl<'a> Groups<'a> {
    fn of(records: impl Iterator<Item = Record<'a>>) -> Groups<'a> {
        let mut groups = Groups::default();
        records.for_each(|record| groups.add(record));
        groups.number_words();
        groups
    }

    fn add(&mut self, record: Record<'a>) {
        let title = Title::new(record.title());
        let group = match self.known.get(title.normal()) {
            Some(group) => *group,
            None => {
                let group = self.titles.len() as u32;
                self.known.insert(title.normal().to_owned(), group);
                self.titles.push(title);
                self.members.push(Vec::new());
                group
            }
        };
        self.members[group as usize].push(record);
    }

    /// Gives words numbers by how rare they are, and titles their words as numbers.
    fn number_words(&mut self) {
        let mut known: Numbers<&str> = Numbers::default();
        let mut frequency: Vec<(u32, &str)> = Vec::new();
        let mut words: Vec<Vec<u32>> = Vec::with_capacity(self.titles.len());
        for title in &self.titles {
            let number = |word| {
                let number = *known.entry(word).or_insert_with(|| {
                    frequency.push((0, word));
                    frequency.len() as u32 - 1
                });
                frequency[number as usize].0 += 1;
                number
            };
            words.push(title.words().map(number).collect());
        }
        let mut order: Vec<u32> = (0..frequency.len() as u32).collect();
        order.sort_unstable_by_key(|word| frequency[*word as usize]);
        let mut rank = vec![0u32; order.len()];
        (0u32..).zip(&order).for_each(|(place, word)| rank[*word as usize] = place);
        for own in &mut words {
            own.iter_mut().for_each(|word| *word = rank[*word as usize]);
            own.sort_unstable();
        }
        let mut sets: Numbers<Vec<&str>> = Numbers::default();
        let numbers = self.titles.iter().map(|title| {
            let next = sets.len() as u32;
            *sets.entry(title.numbers().collect()).or_insert(next)
        });
        self.numbers = numbers.collect();
        self.words = words;
    }

    /// As [`Title::score`], of two different titles.
    fn score(&self, a: usize, b: usize) -> (f64, Reason) {
        if shared(self.titles[a].codes(), self.titles[b].codes()) > 0 {
            return (0.99, Reason::IssueCode);
        }
        if self.numbers[a] != self.numbers[b] {
            return (0.0, Reason::Words);
        }
        let (one, other) = (&self.words[a], &self.words[b]);
        (share(shared(one.iter(), other.iter()), one.len(), other.len()), Reason::Words)
    }

    /// Pairs of titles that may be alike, each once, in order.
    fn candidates(&self, threshold: f64) -> Vec<(u32, u32)> {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut coded: Numbers<&str> = Numbers::default();
        for (title, parts) in (0u32..).zip(&self.titles) {
            for code in parts.codes() {
                // Everybody who names a code is joined to the first who does: that makes them one cluster.
                let first = *coded.entry(code).or_insert(title);
                if first != title {
                    pairs.push((first, title));
                }
            }
        }
        self.sharing_words(threshold, &mut pairs);
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    fn sharing_words(&self, threshold: f64, pairs: &mut Vec<(u32, u32)>) {
        // Titles are compared only within those that have the same numbers.
        let mut rare: HashMap<(u32, u32), Vec<u32>, foldhash::fast::FixedState> = HashMap::default();
        for (index, words) in (0u32..).zip(&self.words) {
            let count = words.len();
            let needed = ((threshold * count as f64 - 1e-9).ceil().max(1.0)) as usize;
            let first = pairs.len();
            for word in words.iter().take((count + 1).saturating_sub(needed)) {
                let seen = rare.entry((self.numbers[index as usize], *word)).or_default();
                let fits = |other: &&u32| {
                    let (a, b) = (count, self.words[**other as usize].len());
                    a.min(b) as f64 >= threshold * a.max(b) as f64 - 1e-9
                };
                pairs.extend(seen.iter().filter(fits).map(|other| (*other, index)));
                seen.push(index);
            }
            // What shares several of the rarest words is met several times.
            let met = &mut pairs[first..];
            met.sort_unstable();
            let mut kept = first;
            for n in first..pairs.len() {
                if n == first || pairs[n] != pairs[kept - 1] {
                    pairs[kept] = pairs[n];
                    kept += 1;
                }
            }
            pairs.truncate(kept);
        }
    }

    fn clusters(&self, joins: &mut Joins) -> Vec<Cluster<'a>> {
        let mut by_root: BTreeMap<usize, Vec<Member<'a>>> = BTreeMap::new();
        for (group, records) in self.members.iter().enumerate() {
            let Some((score, reason)) = joins.best[group] else { continue };
            let root = joins.root(group);
            let members = records.iter().map(|record| Member { record: *record, score, reason });
            by_root.entry(root).or_default().extend(members);
        }
        let mut clusters: Vec<Cluster<'a>> = by_root
            .into_values()
            .map(|mut members| {
                members.sort_by_key(|member| member.record.number());
                let max_score = members.iter().fold(0.0, |best: f64, member| best.max(member.score));
                Cluster { members, max_score }
            })
            .collect();
        let first = |cluster: &Cluster<'_>| cluster.members.first().map(|member| member.record.number());
        clusters.sort_by(|a, b| b.max_score.total_cmp(&a.max_score).then_with(|| first(a).cmp(&first(b))));
        clusters
    }
}

/// Which titles belong together, and the best reason of each.
struct Joins {
    parents: Vec<usize>,
    best: Vec<Option<(f64, Reason)>>,
}

impl Joins {
    fn new(count: usize) -> Joins {
        Joins { parents: (0..count).collect(), best: vec![None; count] }
    }

    fn root(&mut self, mut title: usize) -> usize {
        while self.parents[title] != title {
            self.parents[title] = self.parents[self.parents[title]];
            title = self.parents[title];
        }
        title
    }

    fn note(&mut self, title: usize, score: f64, reason: Reason) {
        if self.best[title].is_none_or(|(best, _)| score > best) {
            self.best[title] = Some((score, reason));
        }
    }

    fn join(&mut self, a: usize, b: usize, score: f64, reason: Reason) {
        let (x, y) = (self.root(a), self.root(b));
        self.parents[x.max(y)] = x.min(y);
        self.note(a, score, reason);
        self.note(b, score, reason);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::model::item::Item;
    use crate::model::records::Records;

    fn records(titles: &[String]) -> Records {
        let item = |(n, title): (usize, &String)| {
            let value = json!({"id": format!("pm-{n:04}"), "title": title, "type": "Task", "status": "open"});
            let metadata = value.as_object().cloned().unwrap_or_default();
            (format!("tasks/pm-{n:04}.toon"), Item { metadata, body: String::new() })
        };
        Records::from_items(&titles.iter().enumerate().map(item).collect::<Vec<_>>())
    }

    /// The same by comparing everything with everything.
    fn plainly(records: &Records, threshold: f64) -> Vec<Vec<String>> {
        let all: Vec<(String, Title)> =
            records.iter().map(|record| (record.id().to_owned(), Title::new(record.title()))).collect();
        let mut joins = Joins::new(all.len());
        for a in 0..all.len() {
            for b in a + 1..all.len() {
                let (score, reason) = all[a].1.score(&all[b].1);
                if score >= threshold && score > 0.0 {
                    joins.join(a, b, score, reason);
                }
            }
        }
        let mut clusters: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (n, (id, _)) in all.iter().enumerate() {
            let root = joins.root(n);
            clusters.entry(root).or_default().push(id.clone());
        }
        clusters.into_values().filter(|cluster| cluster.len() > 1).collect()
    }

    proptest! {
        #[test]
        fn nothing_alike_is_missed(
            titles in prop::collection::vec("(fix|Fix|add) ?(login|logout)? (page|form)( [12])?( gh-[12])?", 0..14),
            threshold in prop::sample::select(vec![0.2, 0.5, 0.6, 0.75, 0.8, 1.0]),
        ) {
            let records = records(&titles);
            let found = sweep(records.iter(), threshold);
            let mut ids: Vec<Vec<String>> = found.clusters.iter()
                .map(|cluster| cluster.members.iter().map(|m| m.record.id().to_owned()).collect()).collect();
            ids.sort();
            prop_assert_eq!(ids, plainly(&records, threshold));
        }
    }

    #[test]
    fn clusters_tell_what_is_most_alike_first() {
        let titles = [
            "Fix the login page",
            "fix the  LOGIN page",
            "Scan 1 of x",
            "Scan 2 of x",
            "Fix the login form now",
        ];
        let records = records(&titles.map(str::to_owned));
        let found = sweep(records.iter(), 0.6);
        let members: Vec<(&str, f64)> =
            found.clusters[0].members.iter().map(|m| (m.record.id(), m.score)).collect();
        assert_eq!(members, [("pm-0000", 1.0), ("pm-0001", 1.0)]);
        assert_eq!((found.clusters.len(), found.items), (1, 5));
    }
}
