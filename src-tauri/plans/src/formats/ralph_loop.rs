//! The ralph-loop plugin of Claude Code, and its relatives: one file with front matter, whose body is the prompt.
//!
//! The plugin's hook reads the fields line by line with `sed`, after each turn of a session: it ends the loop by deleting the file. What
//! it can't read right is told, because such a loop runs without an end. Oh-my-openagent keeps the same shape and reads it as YAML: it
//! has a limit by default and asks for the phrase itself.

use crate::boxes::one_line;
use crate::finding::{Finding, FindingCode};
use crate::format::{Change, Found, Lines, PlanFormat, ReadError, Request, Source};
use crate::front_matter::FrontMatter;
use crate::plan::{Fact, FactValue, Plan, PlanStatus};
use loopdeck_text::shorten;
use loopdeck_text::text_edit::TextEdit;
use std::ops::Range;

/// What oh-my-openagent takes as the limit when the file has none that counts.
const USUAL_LIMIT: u32 = 100;

/// How many iterations a loop without a limit may still have, where a person gives it one.
const MORE_ITERATIONS: u32 = 20;

/// Most characters of a prompt that is shown in a finding or as a goal.
const MOST_SHOWN: usize = 200;

pub(crate) struct RalphLoop;

impl PlanFormat for RalphLoop {
    fn found(&self) -> &'static [Found] {
        &[
            Found::File(".claude/ralph-loop.local.md"),
            Found::File(".qwen/ralph-loop.local.md"),
            Found::File(".omo/ralph-loop.local.md"),
            Found::File(".sisyphus/ralph-loop.local.md"),
        ]
    }

    fn understands(&self, request: Request) -> bool {
        request == Request::Pause
    }

    fn ends_without_file(&self) -> bool {
        true
    }

    fn read(&self, source: &Source<'_>) -> Result<Option<Plan>, ReadError> {
        let text = source.text()?;
        let Some(front) = FrontMatter::read(text) else {
            let begins = text.trim_start_matches('\u{feff}').starts_with("---");
            let reason = "the front matter has no end".to_owned();
            return if begins { Err(ReadError::NotParsed { reason, line: Some(1) }) } else { Ok(None) };
        };
        if !["iteration", "max_iterations", "completion_promise"].iter().any(|key| front.raw(key).is_some()) {
            return Ok(None);
        }
        let state = State { text, is_omo: is_omo(source), prompt: prompt(&front), front };
        Ok(Some(state.plan()))
    }

    /// The loop ends after the turn that reaches its limit, so a pause is a limit that is reached; going on takes a new loop.
    fn request(&self, source: &Source<'_>, plan: &Plan, request: Request) -> Option<Change> {
        match request {
            Request::Stop | Request::Resume => None,
            Request::Pause => {
                let iteration =
                    plan.iteration.filter(|iteration| plan.limit.is_none_or(|limit| limit > *iteration))?;
                let text = source.text().ok()?;
                let front = FrontMatter::read(text)?;
                // Zero is no limit.
                let edit = limit_edit(text, &front, iteration.max(1));
                Some(Change { edits: vec![edit], ..Change::default() })
            }
        }
    }
}

/// What writes a limit of iterations.
fn limit_edit(text: &str, front: &FrontMatter<'_>, limit: u32) -> TextEdit {
    match front.place("max_iterations") {
        Some(place) if place.is_empty() => {
            let blanks = text[place.start..].find(['\r', '\n']).unwrap_or_default();
            TextEdit::replace(place.start..place.start + blanks, format!(" {limit}"))
        }
        Some(place) => TextEdit::replace(place, limit.to_string()),
        None => {
            let end = if text[..front.inner.start].ends_with("\r\n") { "\r\n" } else { "\n" };
            TextEdit::insert(front.inner.end, format!("max_iterations: {limit}{end}"))
        }
    }
}

/// A file as its tool reads it.
struct State<'t> {
    text: &'t str,
    front: FrontMatter<'t>,
    prompt: String,
    is_omo: bool,
}

impl State<'_> {
    fn plan(&self) -> Plan {
        let iteration = self.number("iteration");
        let mut plan = Plan {
            goal: Some(shorten(&one_line(first_paragraph(&self.prompt)), MOST_SHOWN))
                .filter(|goal| !goal.is_empty()),
            word: self.front.value("active").unwrap_or_default().to_owned(),
            // The turn that is being worked on counts, as the tool says it.
            iteration: iteration.as_ref().ok().copied().flatten(),
            limit: self.limit(),
            prompt: Some(self.prompt.clone()).filter(|prompt| !prompt.is_empty()),
            ..Plan::default()
        };
        plan.status = Some(match plan.word.as_str() {
            "" | "true" => PlanStatus::Running,
            "false" if self.front.value("completed_at").is_some() => PlanStatus::Completed,
            "false" => PlanStatus::Stopped,
            _ => PlanStatus::Unknown,
        });
        plan.facts = self.facts();
        let unknown = |key: &str, word: &str| {
            let finding = Finding::new(FindingCode::UnknownWord).with("item", key).with("found", word);
            finding.at_line(self.line(key))
        };
        if plan.status == Some(PlanStatus::Unknown) {
            plan.findings.push(unknown("active", &plan.word));
        }
        let numbers = [("iteration", iteration), ("max_iterations", self.number("max_iterations"))];
        plan.findings
            .extend(numbers.iter().filter_map(|(key, number)| Some(unknown(key, number.as_ref().err()?))));
        self.lints(&mut plan);
        plan
    }

    /// What makes it end never, or with the wrong session.
    fn lints(&self, plan: &mut Plan) {
        let findings = &mut plan.findings;
        let mut tell = |code, key: &str, found: Option<&str>, repair: Option<TextEdit>| {
            let finding = Finding::new(code).at_line(self.line(key)).repaired_by(repair);
            findings.push(match found {
                Some(found) => finding.with("found", shorten(found, MOST_SHOWN)),
                None => finding,
            });
        };
        let goes_on = plan.limit.is_none_or(|limit| plan.iteration.is_none_or(|iteration| iteration < limit));
        let counter = self.front.place("iteration").filter(|place| goes_on && self.is_stuck(place));
        if let Some(place) = counter {
            let found = format!("iteration:{}", &self.text[place.clone()]);
            let blank = TextEdit::insert(place.start, " ");
            tell(FindingCode::CounterStuck, "iteration", Some(&found), Some(blank));
        }
        if plan.limit.is_none() {
            let limit = plan.iteration.unwrap_or_default().saturating_add(MORE_ITERATIONS);
            let edit = limit_edit(self.text, &self.front, limit);
            tell(FindingCode::NoLimit, "max_iterations", None, Some(edit));
        }
        if let Some(promise) = self.promise().filter(|promise| !self.is_omo && !self.is_told(promise)) {
            tell(FindingCode::PromiseNotAsked, "completion_promise", Some(promise), self.asked(promise));
        }
        if self.front.value("session_id").is_none_or(str::is_empty) {
            tell(FindingCode::AnySession, "session_id", None, None);
        }
        let prompt = self.prompt.trim();
        if prompt.is_empty() {
            tell(FindingCode::NoItems, "", None, None);
        } else if is_options(prompt) {
            tell(FindingCode::OptionsAsPrompt, "", Some(prompt), None);
        }
    }

    /// Whether the agent knows with which phrase it ends. The command that sets the loop up tells it once, with its tags, and notes when
    /// that was: a prompt that says nothing about the phrase leaves it at that, one that says it without tags or says another doesn't.
    fn is_told(&self, promise: &str) -> bool {
        let raw = self.front.raw("completion_promise").unwrap_or_default();
        let is_written_whole = raw.len() >= 2 && raw.starts_with('"') && raw.ends_with('"');
        let is_told_once = is_written_whole && self.front.value("started_at").is_some();
        let says_other = self.prompt.contains(promise) || self.prompt.contains("<promise>");
        asks_for(&self.prompt, promise) || is_told_once && !says_other
    }

    /// A sentence below the prompt that asks for the phrase; `None` where it would itself be taken for the phrase, or for nothing.
    fn asked(&self, promise: &str) -> Option<TextEdit> {
        let is_in_field = self.front.raw("original_prompt").is_some();
        let is_plain = !promise.contains(['<', '>', '\'', '\\']);
        let end = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let body = self.text.trim_end().len();
        let sentence =
            format!("{end}{end}When all of it is true, and not before, say <promise>{promise}</promise>.");
        (is_plain && !is_in_field).then(|| TextEdit::insert(body, sentence))
    }

    /// The hook replaces `iteration: ` with its blank, and reads the number without it too.
    fn is_stuck(&self, place: &Range<usize>) -> bool {
        !self.is_omo && !place.is_empty() && self.text[..place.start].ends_with("iteration:")
    }

    /// The phrase that ends it. The hook takes away double quotes only: with single ones it waits for them too.
    fn promise(&self) -> Option<&str> {
        if self.is_omo {
            return self.front.value("completion_promise");
        }
        let raw = self.front.raw("completion_promise")?;
        let inner = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).unwrap_or(raw);
        Some(inner).filter(|promise| !matches!(*promise, "" | "null"))
    }

    fn limit(&self) -> Option<u32> {
        let limit = self.number("max_iterations").ok().flatten().filter(|limit| *limit > 0);
        let is_unbounded =
            self.front.value("ultrawork") == Some("true") && self.front.value("max_iterations").is_none();
        limit.or((self.is_omo && !is_unbounded).then_some(USUAL_LIMIT))
    }

    /// A number of the front matter; what is there instead.
    fn number(&self, key: &str) -> Result<Option<u32>, String> {
        let Some(value) = self.front.value(key).filter(|value| !value.is_empty()) else { return Ok(None) };
        value.parse().map(Some).map_err(|_| value.to_owned())
    }

    fn facts(&self) -> Vec<Fact> {
        let time = |text: &str| FactValue::Time(text.to_owned());
        let code = |text: &str| FactValue::Code(text.to_owned());
        let value = |name: &'static str, make: &dyn Fn(&str) -> FactValue| {
            let value = self.front.value(name).filter(|value| !value.is_empty())?;
            Some(Fact { name, value: make(value) })
        };
        let promise = self.promise().and_then(FactValue::code);
        let promise = promise.map(|value| Fact { name: "completion_promise", value });
        let started = value("started_at", &time)
            .or_else(|| value("timestamp", &time).map(|fact| Fact { name: "started_at", ..fact }));
        let rest = [
            value("completed_at", &time),
            value("session_id", &code),
            value("strategy", &code),
            value("ultrawork", &code),
            value("verification_pending", &code),
            value("initial_completion_promise", &code),
            value("verification_session_id", &code),
            value("review_count", &code),
            value("pending_feedback", &|text| FactValue::Text(text.to_owned())),
        ];
        promise.into_iter().chain(started).chain(rest.into_iter().flatten()).collect()
    }

    /// The line of a field, or of the prompt for none; 0 where it isn't there.
    fn line(&self, key: &str) -> u32 {
        let blanks = self.front.body().len() - self.front.body().trim_start().len();
        let at = if key.is_empty() {
            Some(self.front.body + blanks)
        } else {
            self.front.place(key).map(|place| place.start)
        };
        at.map_or(0, |at| Lines::of(self.text).of_byte(at))
    }
}

fn is_omo(source: &Source<'_>) -> bool {
    source.file.starts_with(".omo/") || source.file.starts_with(".sisyphus/")
}

/// What the agent is given after each turn: the body, or a field of the dialect whose body only describes the file.
fn prompt(front: &FrontMatter<'_>) -> String {
    let field = front.raw("original_prompt").and_then(|_| front.yaml());
    let field = field
        .and_then(|yaml| yaml.get("original_prompt").and_then(|value| value.text().map(ToString::to_string)));
    field.unwrap_or_else(|| front.body().to_owned()).trim().to_owned()
}

/// The first lines with a text.
fn first_paragraph(text: &str) -> &str {
    text.split("\n\n")
        .flat_map(|part| part.split("\r\n\r\n"))
        .find(|part| !part.trim().is_empty())
        .unwrap_or_default()
}

/// Whether a prompt tells how to end: the phrase in its tags, or the phrase with the word for them.
fn asks_for(prompt: &str, promise: &str) -> bool {
    let mut tagged = prompt.split("</promise>").filter_map(|part| part.rsplit_once("<promise>"));
    if tagged.any(|(_, inner)| one_line(inner) == promise) {
        return true;
    }
    let says_promise = |word: &str| {
        let word = word.trim_matches(|letter: char| "`'\",.:;()*".contains(letter)).to_ascii_lowercase();
        word == "<promise>" || matches!(word.trim_end_matches('s'), "promise" | "promise-tag")
    };
    prompt.contains(promise) && prompt.split_whitespace().any(says_promise)
}

/// Whether a prompt is options with their values, or a number: what stays when a command line was taken apart wrongly.
fn is_options(prompt: &str) -> bool {
    if prompt.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_whitespace()) {
        return true;
    }
    let is_option = |word: &str| {
        let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-')).unwrap_or_default();
        name.starts_with(|letter: char| letter.is_ascii_alphabetic())
    };
    let mut takes_value = false;
    prompt.starts_with('-')
        && prompt.split_whitespace().all(|word| {
            let fits = is_option(word) || takes_value;
            takes_value = is_option(word) && !word.contains('=');
            fits
        })
}
