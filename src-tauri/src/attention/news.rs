//! What to notify a person of: new needs, and ends of loops. Pure, so that every rule can be tested.

use crate::words::{Words, fill};
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::rows::{Need, NeedKind};
use loopdeck_runtime::views::{LoopRow, Notify};
use std::collections::HashSet;

/// Up to this many of one kind are announced one by one, more of them together.
const FEW: usize = 2;
/// How many titles are named when many are announced together.
const NAMED: usize = 3;

/// The settings switch of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    NeedsYou,
    Failed,
    Limit,
    Finished,
}

/// One thing that is new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct News {
    pub(crate) kind: Kind,
    /// The loop.
    pub(crate) key: String,
    /// Its title. Untrusted text.
    pub(crate) title: String,
    /// One sentence. Never what an agent wrote: a notification is seen on a locked screen too.
    pub(crate) text: String,
    /// The need it is about, if that can end without the person.
    pub(crate) need: Option<String>,
}

/// Where a click leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Opens {
    /// To a loop.
    Loop(String),
    /// To the list of everything waiting.
    Waiting,
}

/// What the desktop is asked to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    /// Plain text.
    pub(crate) title: String,
    /// Plain text.
    pub(crate) body: String,
    pub(crate) opens: Opens,
    /// It is obsolete once none of these is waiting; if empty, it stays.
    pub(crate) needs: Vec<String>,
}

/// What has been announced.
#[derive(Debug, Default)]
pub(crate) struct Told {
    needs: HashSet<String>,
    /// Loops that were running at the last check, or whose file does not show yet how they ended.
    running: HashSet<String>,
}

impl Told {
    /// Needs that are new.
    pub(crate) fn new_needs(&mut self, needs: &[Need], words: &Words) -> Vec<News> {
        let new = needs.iter().filter(|need| !self.needs.contains(&need.id));
        let news = new.map(|need| of_need(need, words)).collect();
        self.needs = needs.iter().map(|need| need.id.clone()).collect();
        news
    }

    /// A loop of ours that has ended since the last check.
    pub(crate) fn end(&mut self, row: &LoopRow, words: &Words) -> Option<News> {
        let run = row.run.as_ref()?;
        if run.alive {
            self.running.insert(row.key.clone());
            return None;
        }
        if !self.running.contains(&row.key) || is_settling(row.word) {
            return None;
        }
        self.running.remove(&row.key);
        let (kind, text) = match row.word {
            StatusWord::Completed => (Kind::Finished, &words.notify_finished),
            StatusWord::CompletedWithWarnings => (Kind::Finished, &words.notify_finished_warnings),
            // What is waiting for the person has already been announced.
            StatusWord::Failed if run.needs == 0 => (Kind::Failed, &words.notify_failed),
            _ => return None, // stopped or paused: the person did that
        };
        let (key, title) = (row.key.clone(), row.title.clone());
        Some(News { kind, key, title, text: text.clone(), need: None })
    }
}

/// The file has not been read again since the run ended, or its process is still running.
fn is_settling(word: StatusWord) -> bool {
    use StatusWord::{
        EndedStillRunning, Finishing, Pausing, Running, RunningElsewhere, Silent, Starting, Stopping,
    };
    matches!(
        word,
        EndedStillRunning | Finishing | Pausing | Running | RunningElsewhere | Silent | Starting | Stopping
    )
}

fn of_need(need: &Need, words: &Words) -> News {
    let (kind, text) = match need.kind {
        NeedKind::Permission => (Kind::NeedsYou, &words.notify_permission),
        NeedKind::Question => (Kind::NeedsYou, &words.notify_question),
        NeedKind::Menu => (Kind::NeedsYou, &words.notify_menu),
        NeedKind::SignIn => (Kind::NeedsYou, &words.notify_sign_in),
        NeedKind::LimitReached => (Kind::Limit, &words.notify_limit),
        NeedKind::UsageLimit => (Kind::Limit, &words.notify_usage_limit),
        NeedKind::Failed => (Kind::Failed, &words.notify_failed),
        NeedKind::LeftOver => (Kind::Failed, &words.notify_left_over),
        // Nothing was cut off: it is waiting to be resumed.
        NeedKind::Interrupted if need.is_only_waiting() => (Kind::NeedsYou, &words.notify_waits),
        NeedKind::Interrupted => (Kind::Failed, &words.notify_interrupted),
    };
    // Not the tool: its name is written by the agent.
    let text = fill(text, &[("agent", &need.agent)]);
    let (key, title) = (need.key.clone(), need.title.clone());
    News { kind, key, title, text, need: Some(need.id.clone()) }
}

/// Notifications for news: only enabled kinds, an end only when the window is not in front, many of one kind
/// as one.
pub(crate) fn notices(news: Vec<News>, switches: Notify, in_front: bool, words: &Words) -> Vec<Notice> {
    let is_on = |kind| match kind {
        Kind::NeedsYou => switches.needs_you,
        Kind::Failed => switches.failed,
        Kind::Limit => switches.limit,
        Kind::Finished => switches.finished && !in_front,
    };
    let mut notices = Vec::new();
    let (kept, _): (Vec<News>, Vec<News>) = news.into_iter().partition(|one| is_on(one.kind));
    for kind in [Kind::NeedsYou, Kind::Failed, Kind::Limit, Kind::Finished] {
        let of_kind: Vec<&News> = kept.iter().filter(|one| one.kind == kind).collect();
        if of_kind.len() > FEW {
            notices.push(together(kind, &of_kind, words));
        } else {
            notices.extend(of_kind.into_iter().map(alone));
        }
    }
    notices
}

fn alone(news: &News) -> Notice {
    Notice {
        title: short(&news.title),
        body: news.text.clone(),
        opens: Opens::Loop(news.key.clone()),
        needs: news.need.iter().cloned().collect(),
    }
}

fn together(kind: Kind, news: &[&News], words: &Words) -> Notice {
    let title = match kind {
        Kind::NeedsYou => &words.notify_many_needs_you,
        Kind::Failed => &words.notify_many_failed,
        Kind::Limit => &words.notify_many_limit,
        Kind::Finished => &words.notify_many_finished,
    };
    let loops: HashSet<&str> = news.iter().map(|one| &*one.key).collect();
    let mut named: Vec<String> = Vec::new();
    for title in news.iter().map(|one| short(&one.title)) {
        if !named.contains(&title) && named.len() < NAMED {
            named.push(title);
        }
    }
    let names = named.join(&words.list_separator);
    let more = loops.len().saturating_sub(named.len());
    let body = match more {
        0 => names,
        more => fill(&words.list_more, &[("names", &names), ("count", &more.to_string())]),
    };
    Notice {
        title: fill(title, &[("count", &loops.len().to_string())]),
        body,
        opens: Opens::Waiting,
        needs: news.iter().filter_map(|one| one.need.clone()).collect(),
    }
}

/// A title can be as long as the file makes it.
fn short(title: &str) -> String {
    const LONGEST: usize = 80;
    let line = title.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST {
        return line;
    }
    line.chars().take(LONGEST).chain(['…']).collect()
}

#[cfg(test)]
#[path = "news_tests.rs"]
mod tests;
