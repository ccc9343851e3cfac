//! Initial and allowed values of the page's forms. Each format defines its words and bounds once, in its
//! `forms`: the operations check against them, and the bindings pass them to the page as constants.

use serde::Serialize;

/// The format of a list's ids: `task-001`, `T1`, `H1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct IdPattern {
    /// The text before the number.
    pub before: &'static str,
    /// The minimum number of digits.
    pub digits: u8,
}

impl IdPattern {
    /// The id with this number, from 1.
    #[must_use]
    pub fn id(&self, number: usize) -> String {
        format!("{}{number:0digits$}", self.before, digits = usize::from(self.digits))
    }
}

/// The whole numbers that a field accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bounds {
    /// The smallest.
    pub least: u32,
    /// The largest.
    pub most: u32,
}

impl Bounds {
    /// Whether a field accepts this number.
    #[must_use]
    pub const fn accepts(&self, number: u32) -> bool {
        self.least <= number && number <= self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_written_with_their_digits() {
        let pattern = IdPattern { before: "task-", digits: 3 };
        assert_eq!([1, 42, 1234].map(|number| pattern.id(number)), ["task-001", "task-042", "task-1234"]);
        assert_eq!(IdPattern { before: "T", digits: 1 }.id(7), "T7");
    }

    #[test]
    fn both_ends_belong_to_the_bounds() {
        let bounds = Bounds { least: 1, most: 100 };
        assert_eq!([0, 1, 100, 101].map(|number| bounds.accepts(number)), [false, true, true, false]);
    }
}
