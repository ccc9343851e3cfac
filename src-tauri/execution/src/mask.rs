//! Secrets in what runs say: values of variables whose names speak of secrets, and texts that look like keys, are not shown
//! and not copied, neither to the screen nor into the files of a loop.

mod shapes;

use crate::agents::environment::environment;
use crate::preferences::choices::Choices;
use aho_corasick::{AhoCorasick, MatchKind};
use loopdeck_agents::Clip;
use loopdeck_agents::event::Denied;
use loopdeck_agents::facts::Facts;
use loopdeck_core::driver::records::TestResult;
use loopdeck_results::{Reading, ReadingNote};
use shapes::hide_shapes;
use std::ffi::OsString;

const SPEAKING: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"];
/// A shorter value is a word, not a secret.
const SHORTEST: usize = 8;
pub(crate) const MASK: &str = "••••";

/// Hides what must not be shown.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    /// Finds all of them in one pass; `None` when there are none.
    secrets: Option<AhoCorasick>,
}

/// A variable of an environment, and its value.
pub(crate) type Variable = (OsString, OsString);

/// What the person's own agents get in addition to our environment.
pub(crate) fn own_variables(choices: &Choices) -> Vec<Variable> {
    let own = choices.agents.iter().flat_map(|agent| &agent.environment);
    own.map(|(name, value)| (name.into(), value.into())).collect()
}

impl Mask {
    /// A mask of the secrets in an environment.
    pub(crate) fn from_environment(environment: &[(OsString, OsString)]) -> Self {
        let speaks = |name: &OsString| {
            let name = name.to_string_lossy().to_uppercase();
            SPEAKING.iter().any(|word| name.contains(word))
        };
        let mut secrets: Vec<String> = environment
            .iter()
            .filter(|(name, _)| speaks(name))
            .filter_map(|(_, value)| value.to_str().map(str::to_owned))
            .filter(|value| value.len() >= SHORTEST && !value.starts_with('/'))
            .collect();
        // In JSON a secret may be written otherwise.
        let escaped = |secret: &String| {
            let text = serde_json::to_string(secret).ok()?;
            let inner = text.strip_prefix('"')?.strip_suffix('"')?;
            (inner != secret).then(|| inner.to_owned())
        };
        secrets.extend(secrets.iter().filter_map(escaped).collect::<Vec<_>>());
        // A longer secret may hold a shorter one.
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&secrets);
        if let Err(error) = &finder {
            tracing::error!(%error, "secrets of the environment cannot be hidden");
        }
        Self { secrets: finder.ok().filter(|_| !secrets.is_empty()) }
    }

    /// A mask for everything that a run may know: our environment, and what the person's own agents get in addition.
    pub fn of_all(choices: &Choices) -> Self {
        Self::of_any(own_variables(choices))
    }

    /// The same, where the variables of the person's own agents are at hand. Waits until the environment is known.
    pub(crate) fn of_any(own: Vec<Variable>) -> Self {
        Self::from_environment(&environment().iter().cloned().chain(own).collect::<Vec<_>>())
    }

    /// `text` without secrets.
    pub fn hide(&self, text: String) -> String {
        let text = match &self.secrets {
            Some(secrets) if secrets.is_match(&text) => replace_secrets(secrets, &text),
            _ => text,
        };
        hide_shapes(text)
    }
}

fn replace_secrets(secrets: &AhoCorasick, text: &str) -> String {
    let mut hidden = String::with_capacity(text.len());
    secrets.replace_all_with(text, &mut hidden, |_, _, hidden| {
        hidden.push_str(MASK);
        true
    });
    hidden
}

/// What can be without secrets.
pub(crate) trait Hide {
    /// Hides them.
    fn hide(&mut self, mask: &Mask);
}

impl Hide for String {
    fn hide(&mut self, mask: &Mask) {
        *self = mask.hide(std::mem::take(self));
    }
}

impl<T: Hide> Hide for Option<T> {
    fn hide(&mut self, mask: &Mask) {
        self.iter_mut().for_each(|held| held.hide(mask));
    }
}

impl<T: Hide> Hide for Vec<T> {
    fn hide(&mut self, mask: &Mask) {
        self.iter_mut().for_each(|held| held.hide(mask));
    }
}

impl Hide for Clip {
    fn hide(&mut self, mask: &Mask) {
        self.text.hide(mask);
    }
}

impl Hide for Denied {
    fn hide(&mut self, mask: &Mask) {
        self.reason.hide(mask);
        self.input.hide(mask);
    }
}

impl Hide for Facts {
    fn hide(&mut self, mask: &Mask) {
        self.messages.hide(mask);
        self.structured.hide(mask);
        self.denials.hide(mask);
        self.complaints.lines_mut().for_each(|line| line.hide(mask));
        self.last_unknown.hide(mask);
        if let Some(last) = &mut self.last {
            last.message.hide(mask);
            last.told.line.hide(mask);
        }
        if let Some(told) = &mut self.error_told {
            told.line.hide(mask);
        }
    }
}

impl Hide for TestResult {
    fn hide(&mut self, mask: &Mask) {
        self.name.hide(mask);
        self.suite.hide(mask);
        self.error_message.hide(mask);
        self.stack_trace.hide(mask);
    }
}

impl Hide for Reading {
    fn hide(&mut self, mask: &Mask) {
        for run in self.run.iter_mut().chain(&mut self.partial) {
            run.tests.hide(mask);
        }
        for note in &mut self.notes {
            if let ReadingNote::ExitDisagrees { tail, .. }
            | ReadingNote::NoTests { tail }
            | ReadingNote::Unrecognised { tail } = note
            {
                tail.hide(mask);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_agents::{OutputKind, Stream};

    #[test]
    fn values_of_speaking_variables_and_keys_are_hidden() {
        let environment = [
            ("MY_API_KEY".into(), "hunter2hunter2".into()),
            ("OTHER_TOKEN".into(), "short".into()),
            ("SSH_KEY_PATH".into(), "/home/ana/.ssh/id_rsa".into()),
            ("PATH".into(), "/usr/bin:/bin:/sbin".into()),
        ];
        let mask = Mask::from_environment(&environment);
        let hide = |text: &str| mask.hide(text.to_owned());
        assert_eq!(hide("key=hunter2hunter2!"), "key=••••!");
        assert_eq!(
            hide("short /home/ana/.ssh/id_rsa /usr/bin:/bin:/sbin"),
            "short /home/ana/.ssh/id_rsa /usr/bin:/bin:/sbin"
        );
        // Put together here: tools that look for keys in sources would take it for one.
        let key = format!("sk-ant-{}", "a1b2".repeat(6));
        assert_eq!(hide(&format!("é {key}.")), "é sk-ant-••••.");
        assert_eq!(
            hide("task-1 sk-short desk-0123456789012345678 sk-a-name-without-digits.rs"),
            "task-1 sk-short desk-0123456789012345678 sk-a-name-without-digits.rs"
        );
    }
    #[test]
    fn secrets_are_hidden_wherever_a_run_says_them() {
        let secret = "line one\n\"line\" two";
        let mask = Mask::from_environment(&[("MY_SECRET".into(), secret.into())]);
        let say = || format!("it is {secret}");
        let json = serde_json::to_string(&serde_json::json!({ "summary": say() })).unwrap();
        let clip = || Some(Clip::from_text(&say()));
        let denied = Denied {
            reason: clip(),
            input: Some(Clip::from_text(&json)),
            tool: "Bash".into(),
            id: Some("1".into()),
        };
        let mut complaints = loopdeck_agents::complaint::Complaints::default();
        for stream in [Stream::Stdout, Stream::Stderr] {
            complaints.read(OutputKind::Text, stream, &Clip::from_text(&say()));
        }
        let mut facts = Facts {
            messages: vec![json.clone()],
            structured: Some(json.clone()),
            denials: vec![denied],
            complaints,
            last_unknown: clip(),
            last: Some(loopdeck_agents::facts::Final { message: Some(say()), ..Default::default() }),
            ..Facts::default()
        };
        facts.hide(&mask);
        let told = format!("{facts:?}");
        assert_eq!((told.matches(MASK).count(), told.contains("two")), (9, false), "{told}");
        assert_eq!(facts.structured.unwrap(), "{\"summary\":\"it is ••••\"}");

        let output = format!("TAP version 13\n1..1\nnot ok 1 - {json}\n");
        for code in [1, 0] {
            let mut reading =
                loopdeck_results::read(&[], output.as_bytes(), json.as_bytes(), Some(code), None);
            reading.hide(&mask);
            let told = format!("{reading:?}");
            assert!(told.contains(MASK) && !told.contains("two"), "{told}");
        }
    }
}
