//! The fast read of a master file: one pass, no tree, no allocation for values that are only counted.
//!
//! Any field may have any type; a wrong type is recorded and never fails the whole read (the CCW contract
//! §18). The last of two equal keys counts, as with `JSON.parse`.

use super::skill::Skill;
use loopdeck_text::json_span::scan::{Fault, RawText, Reader, Scan, ValueKind};
use loopdeck_text::json_span::splice::Outline;
use std::borrow::Cow;

/// A top-level value as kept by the fast read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scalar<'a> {
    Null,
    Bool,
    Number(&'a str),
    Text(RawText<'a>),
    List,
    Object,
}

/// A top-level value and its position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<'a> {
    pub(crate) at: usize,
    pub(crate) value: Scalar<'a>,
}

macro_rules! names {
    ($($name:ident = $key:literal,)*) => {
        /// The top-level keys that the fast read uses.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Name { $($name,)* }

        impl Name {
            const ALL: &[Name] = &[$(Name::$name,)*];

            fn from_key(key: &str) -> Option<Self> {
                match key { $($key => Some(Name::$name),)* _ => None }
            }

            /// The key as written.
            pub(crate) fn key(self) -> &'static str {
                match self { $(Name::$name => $key,)* }
            }
        }
    };
}

names! {
    LoopId = "loop_id",
    SessionId = "session_id",
    Title = "title",
    Description = "description",
    TaskDescription = "task_description",
    Status = "status",
    CurrentIteration = "current_iteration",
    IterationCount = "iteration_count",
    MaxIterations = "max_iterations",
    CreatedAt = "created_at",
    UpdatedAt = "updated_at",
    CompletedAt = "completed_at",
    FailureReason = "failure_reason",
    Tags = "tags",
    Priority = "priority",
    Notes = "notes",
    Mode = "mode",
    SkillState = "skill_state",
    LastAction = "last_action",
    TaskId = "task_id",
    CliSequence = "cli_sequence",
    CurrentCliStep = "current_cli_step",
    TargetSkill = "target_skill",
}

impl Name {
    /// Keys that Loopdeck writes: two of them in one file make every edit ambiguous (E8).
    fn is_ours(self) -> bool {
        use Name as N;
        matches!(
            self,
            N::Title
                | N::Description
                | N::MaxIterations
                | N::Status
                | N::UpdatedAt
                | N::CompletedAt
                | N::FailureReason
                | N::Tags
                | N::Priority
                | N::Notes
        )
    }
}

const FIELDS: usize = Name::ALL.len();

/// The parts of a master file that the fast read keeps.
#[derive(Debug, Default)]
pub(crate) struct Master<'a> {
    fields: [Option<Field<'a>>; FIELDS],
    /// At most 20.
    pub(crate) tags: Vec<Cow<'a, str>>,
    /// Steps of a v1 file.
    pub(crate) steps: u32,
    /// Counts of `skill_state`.
    pub(crate) skill: Skill<'a>,
    /// Repeated keys of ours, with the position of the second.
    pub(crate) duplicates: Vec<(Name, usize)>,
    /// Where text starts after the complete object.
    pub(crate) tail: Option<usize>,
}

impl<'a> Master<'a> {
    /// Reads a whole file in one pass.
    pub(crate) fn read(bytes: &'a [u8]) -> Scan<Self> {
        let mut reader = Reader::new(bytes)?;
        let mut master = Self::default();
        reader.object(|value, key| {
            let Some(name) = Name::from_key(&key.name) else {
                return match &*key.name {
                    // Legacy sessions have the sections at the top level.
                    "develop" | "debug" | "validate" => master.skill.section(&key.name, value),
                    _ => value.skip().map(drop),
                };
            };
            master.take(name, value, true)
        })?;
        match reader.end() {
            Err(error) if error.fault == Fault::TrailingGarbage => master.tail = Some(error.offset),
            other => other?,
        }
        Ok(master)
    }

    /// The same from an outline that was already scanned; `skill_state` is read only when its phase decides
    /// the format. This keeps an edit of a large file to one pass.
    pub(crate) fn of_outline(outline: &Outline<'a>) -> Scan<Self> {
        let mut master = Self::default();
        let into_skill = outline.members.iter().any(|member| member.name == Name::Mode.key());
        for member in &outline.members {
            if let Some(name) = Name::from_key(&member.name) {
                let mut value = Reader::at(outline.text(), member.value.start);
                master.take(name, &mut value, into_skill)?;
            }
        }
        Ok(master)
    }

    fn take(&mut self, name: Name, reader: &mut Reader<'a>, into_skill: bool) -> Scan<()> {
        let kind = reader.peek()?;
        let at = reader.offset();
        if self.fields[name as usize].is_some() && name.is_ours() {
            self.duplicates.push((name, at));
        }
        let value = match kind {
            ValueKind::Text => Scalar::Text(reader.string()?),
            ValueKind::Number => Scalar::Number(reader.number()?),
            ValueKind::Null => reader.skip().map(|_| Scalar::Null)?,
            ValueKind::Bool => reader.skip().map(|_| Scalar::Bool)?,
            ValueKind::List => {
                self.list(name, reader)?;
                Scalar::List
            }
            ValueKind::Object => {
                if name == Name::SkillState && into_skill {
                    self.skill = Skill::read(reader)?;
                } else if into_skill {
                    reader.skip()?;
                }
                Scalar::Object
            }
        };
        self.fields[name as usize] = Some(Field { at, value });
        Ok(())
    }

    fn list(&mut self, name: Name, reader: &mut Reader<'a>) -> Scan<()> {
        match name {
            Name::Tags => {
                self.tags.clear();
                reader.list(|item| {
                    if item.peek()? == ValueKind::Text && self.tags.len() < 20 {
                        self.tags.push(item.string()?.decode());
                        return Ok(());
                    }
                    item.skip().map(drop)
                })
            }
            Name::CliSequence => {
                self.steps = 0;
                reader.list(|item| {
                    self.steps = self.steps.saturating_add(1);
                    item.skip().map(drop)
                })
            }
            _ => reader.skip().map(drop),
        }
    }

    /// The value of a key, if present.
    pub(crate) fn field(&self, name: Name) -> Option<Field<'a>> {
        self.fields[name as usize]
    }

    /// Whether a key is there, with any value.
    pub(crate) fn has(&self, name: Name) -> bool {
        self.field(name).is_some()
    }

    /// The text of a string.
    pub(crate) fn text(&self, name: Name) -> Option<Cow<'a, str>> {
        match self.field(name)?.value {
            Scalar::Text(raw) => Some(raw.decode()),
            _ => None,
        }
    }

    /// The value of a finite number.
    pub(crate) fn number(&self, name: Name) -> Option<f64> {
        match self.field(name)?.value {
            Scalar::Number(text) => text.parse().ok().filter(|number: &f64| number.is_finite()),
            _ => None,
        }
    }
}
