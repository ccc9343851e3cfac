//! `--answer WHAT=HOW`, used once, and `--always WHAT=HOW`: answers given in place of a person.

use loopdeck_core::driver::{MenuChoice, QuestionCode};
use loopdeck_runtime::drivers::rows::{Need, NeedAnswer, NeedAnswerKind as K, NeedKind};
use serde_json::json;

use crate::text;

/// How often one `--always` may answer in a run: a question that keeps coming back must end it.
const MOST_USES: u32 = 20;

/// The rules, in the order given.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    rules: Vec<Rule>,
}

/// What to answer, and how.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rule {
    what: String,
    how: AnswerForm,
    /// As given, for sentences about it.
    given: String,
    most_uses: u32,
    used: u32,
}

/// An answer whose position in a menu is not known yet.
#[derive(Clone, Debug, PartialEq)]
enum AnswerForm {
    This(NeedAnswer),
    Choose(MenuChoice),
}

/// What the rules say about a need.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// This.
    Answer(NeedAnswer),
    /// The next rule for it has an answer that isn't possible now, as it was given.
    NotPossible(String),
    /// Nothing, or nothing more.
    Nothing,
}

/// The answers that each kind of need can have.
const KINDS: [(&str, &[K]); 9] = [
    ("permission", &[K::AllowOnce, K::AllowForRun, K::Deny]),
    ("question", &[K::Say, K::TryAgain, K::GoOn, K::AllowTool, K::Confirm, K::Refute, K::Accept, K::Stop]),
    ("menu", &[K::Choose, K::Stop]),
    ("limit_reached", &[K::Extend, K::Stop, K::Dismiss]),
    ("usage_limit", &[K::Resume, K::Stop]),
    ("sign_in", &[K::Resume, K::Dismiss]),
    ("failed", &[K::Resume, K::Restore, K::Dismiss]),
    ("left_over", &[K::EndLeft, K::Dismiss]),
    ("interrupted", &[K::Resume, K::Dismiss]),
];

/// Reads `WHAT=HOW` of `--answer`, which answers once.
///
/// # Errors
/// A sentence for the person.
pub(super) fn once(text: &str) -> Result<Rule, String> {
    rule(text, "--answer", 1)
}

/// Reads `WHAT=HOW` of `--always`.
///
/// # Errors
/// A sentence for the person.
pub(super) fn always(text: &str) -> Result<Rule, String> {
    rule(text, "--always", MOST_USES)
}

fn rule(text: &str, option: &str, most_uses: u32) -> Result<Rule, String> {
    let (what, how) =
        text.split_once('=').ok_or_else(|| format!("{option} takes WHAT=HOW, such as permission=deny"))?;
    let Some(possible) = possible(what) else {
        let kinds = KINDS.map(|(kind, _)| kind).join(", ");
        return Err(format!("{option} does not know {what:?}: one of {kinds}, or the code of a question"));
    };
    let how = read(how)?;
    if !possible.contains(&how.kind()) {
        let words: Vec<String> = possible.iter().map(text::name).collect();
        return Err(format!("{what} can’t be answered like this; it takes {}", words.join(", ")));
    }
    Ok(Rule { what: what.to_owned(), how, given: format!("{option} {text}"), most_uses, used: 0 })
}

/// What `what` can be answered with; `None` for no kind of need and no question.
fn possible(what: &str) -> Option<Vec<K>> {
    let kind = KINDS.iter().find(|(kind, _)| *kind == what).map(|(_, answers)| answers.to_vec());
    kind.or_else(|| {
        let code: QuestionCode = serde_json::from_value(json!(what)).ok()?;
        // An agent that is missing can be allowed with the same answer.
        let allow = (code == QuestionCode::ToolMissing).then_some(K::AllowTool);
        Some(code.replies().into_iter().map(K::from).chain([K::Stop]).chain(allow).collect())
    })
}

impl Answers {
    /// Answers by `rules`.
    pub(crate) fn new(once: Vec<Rule>, always: Vec<Rule>) -> Self {
        Self { rules: once.into_iter().chain(always).collect() }
    }

    /// The answer to `need`: of several rules for it, the first that isn't used up. The code of a question is more specific
    /// than `question`.
    pub(super) fn answer(&mut self, need: &Need) -> Found {
        let (kind, code) = (text::name(need.kind), need.args.get("question"));
        let names = code.into_iter().chain([&kind]);
        let rules = &self.rules;
        let open: Vec<usize> =
            names.flat_map(|name| (0..rules.len()).filter(move |&at| rules[at].is_open_for(name))).collect();
        // A menu is answered in order; elsewhere a rule for the kind can be meant for another question.
        let fits = |at: &&usize| need.kind == NeedKind::Menu || offered(&rules[**at].how, need).is_some();
        let Some(&at) = open.iter().find(fits).or(open.first()) else { return Found::Nothing };
        let rule = &mut self.rules[at];
        let Some(answer) = offered(&rule.how, need) else { return Found::NotPossible(rule.given.clone()) };
        rule.used += 1;
        Found::Answer(answer)
    }

    /// The `--answer`s that nothing asked for, as given.
    pub(super) fn unused(&self) -> Vec<&str> {
        let unused = self.rules.iter().filter(|rule| rule.most_uses == 1 && rule.used == 0);
        unused.map(|rule| &*rule.given).collect()
    }
}

impl Rule {
    fn is_open_for(&self, name: &str) -> bool {
        self.what == name && self.used < self.most_uses
    }
}

impl AnswerForm {
    fn kind(&self) -> K {
        match self {
            Self::This(answer) => answer.kind(),
            Self::Choose(_) => K::Choose,
        }
    }
}

/// The answer, if this need accepts it.
fn offered(how: &AnswerForm, need: &Need) -> Option<NeedAnswer> {
    let answer = match how {
        AnswerForm::This(answer) => answer.clone(),
        AnswerForm::Choose(choice) => {
            let index = need.choices.iter().position(|offered| offered == choice)?;
            NeedAnswer::Choose { index: u32::try_from(index).ok()? }
        }
    };
    need.answers.contains(&answer.kind()).then_some(answer)
}

/// `deny`, `say:TEXT`, `choose:develop`, `extend:iterations=5`.
fn read(how: &str) -> Result<AnswerForm, String> {
    let (word, value) = how.split_once(':').unwrap_or((how, ""));
    let unknown = || format!("there is no answer {how:?}");
    let answer = match word {
        "choose" => {
            let words = MenuChoice::ALL.map(MenuChoice::word).join(", ");
            let choice = MenuChoice::from_word(value);
            let choice = choice.ok_or_else(|| format!("there is no choice {value:?}: one of {words}"))?;
            return Ok(AnswerForm::Choose(choice));
        }
        "refute" => json!({ "answer": "refute", "why": value }),
        "accept" => json!({ "answer": "accept", "why": value }),
        "deny" => json!({ "answer": "deny", "note": value }),
        "say" if !value.trim().is_empty() => json!({ "answer": "say", "text": value }),
        "extend" => {
            let (limit, more) = value.split_once('=').ok_or_else(unknown)?;
            let limit = if limit == "money" { "money_usd" } else { limit };
            let more: serde_json::Number = more.parse().map_err(|_| unknown())?;
            if !["iterations", "minutes", "money_usd", "tokens", "turns"].contains(&limit) {
                return Err(unknown());
            }
            json!({ "answer": "extend", limit: more })
        }
        "say" => return Err(unknown()),
        word if value.is_empty() => json!({ "answer": word }),
        _ => return Err(unknown()),
    };
    serde_json::from_value(answer).map(AnswerForm::This).map_err(|_| unknown())
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_runtime::drivers::rows::NeedAnswerKind;
    use std::collections::BTreeMap;

    fn need(kind: NeedKind, answers: &[NeedAnswerKind]) -> Need {
        Need {
            id: "need-1".into(),
            key: "k".into(),
            run: None,
            title: String::new(),
            kind,
            since: 0.0,
            agent: String::new(),
            tool: None,
            input: None,
            cut_from: None,
            folder: String::new(),
            text: String::new(),
            args: BTreeMap::new(),
            choices: Vec::new(),
            extension: None,
            until: None,
            answers: answers.to_vec(),
            processes: Vec::new(),
            wrong: Vec::new(),
            lines: Vec::new(),
            left: None,
            requested: None,
        }
    }

    fn rules(texts: &[&str]) -> Answers {
        Answers::new(texts.iter().map(|text| once(text).expect(text)).collect(), Vec::new())
    }

    fn given(answers: &mut Answers, need: &Need) -> Option<NeedAnswer> {
        if let Found::Answer(answer) = answers.answer(need) { Some(answer) } else { None }
    }

    #[test]
    fn an_assertion_is_confirmed_or_refuted_with_a_reason() {
        let mut assertion = need(NeedKind::Question, &[K::Confirm, K::Refute, K::Stop]);
        assertion.args.insert("question".into(), "confirm_assertion".into());
        let mut answers = rules(&["confirm_assertion=confirm", "confirm_assertion=refute:Too dark"]);
        assert_eq!(given(&mut answers, &assertion), Some(NeedAnswer::Confirm));
        assert_eq!(given(&mut answers, &assertion), Some(NeedAnswer::Refute { why: "Too dark".into() }));
    }

    #[test]
    fn a_question_is_answered_by_its_code_before_its_kind() {
        let mut question = need(NeedKind::Question, &[K::Say, K::TryAgain, K::GoOn, K::Stop]);
        let mut answers = rules(&["question=stop", "no_tests=go_on"]);
        assert_eq!(given(&mut answers, &question), Some(NeedAnswer::Stop));
        question.args.insert("question".into(), "no_tests".into());
        assert_eq!(given(&mut answers, &question), Some(NeedAnswer::GoOn));
        assert_eq!(answers.answer(&need(NeedKind::Permission, &[K::Deny])), Found::Nothing);
    }

    #[test]
    fn a_menu_is_answered_in_order_and_what_it_does_not_offer_is_told() {
        let mut menu = need(NeedKind::Menu, &[K::Choose, K::Stop]);
        menu.choices = vec![MenuChoice::Develop, MenuChoice::Validate];
        let mut answers = rules(&["menu=choose:develop", "menu=choose:debug", "menu=choose:validate"]);
        assert_eq!(given(&mut answers, &menu), Some(NeedAnswer::Choose { index: 0 }));
        let wrong = Found::NotPossible("--answer menu=choose:debug".into());
        assert_eq!(answers.answer(&menu), wrong);
        menu.choices.push(MenuChoice::Debug);
        assert_eq!(given(&mut answers, &menu), Some(NeedAnswer::Choose { index: 2 }));
        assert_eq!(answers.unused(), ["--answer menu=choose:validate"]);
    }

    #[test]
    fn an_answer_is_used_once_and_always_has_an_end() {
        let question = need(NeedKind::Question, &[K::TryAgain]);
        let mut answers = rules(&["question=try_again"]);
        assert_eq!(given(&mut answers, &question), Some(NeedAnswer::TryAgain));
        assert_eq!(answers.answer(&question), Found::Nothing);
        let mut answers = Answers::new(Vec::new(), vec![always("question=try_again").expect("a rule")]);
        let uses = (0..100).filter(|_| given(&mut answers, &question).is_some()).count();
        assert_eq!(uses, MOST_USES as usize);
    }

    #[test]
    fn limits_are_raised_by_name_and_nonsense_is_refused() {
        let limit = need(NeedKind::LimitReached, &[K::Extend, K::Stop]);
        let more = given(&mut rules(&["limit_reached=extend:iterations=5"]), &limit);
        assert!(
            matches!(more, Some(NeedAnswer::Extend { iterations: Some(5), minutes: None, .. })),
            "{more:?}"
        );
        for wrong in [
            "permission",
            "weather=deny",
            "permission=",
            "permission=maybe",
            "permission=choose:develop",
            "question=say:",
            "menu=choose",
            "menu=choose:dance",
            "menu=deny",
            "no_tests=say:Look again",
            "limit_reached=extend:patience=3",
            "limit_reached=extend:turns=many",
            "permission=allow_once:x",
        ] {
            assert!(once(wrong).is_err(), "{wrong}");
        }
    }
}
