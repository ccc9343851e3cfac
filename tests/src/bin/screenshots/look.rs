//! How the window looks in a set of pictures, and how much data it shows.

/// How much data the window shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Amount {
    /// Nothing, then one of each thing.
    Small,
    /// The sample that comes with the app.
    Typical,
    /// More and longer data than anyone has.
    Extreme,
}

impl Amount {
    pub(crate) const ALL: [Self; 3] = [Self::Small, Self::Typical, Self::Extreme];

    /// The folder of its pictures.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Typical => "typical",
            Self::Extreme => "extreme",
        }
    }
}

/// Theme, language and size of the window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) theme: &'static str,
    pub(crate) language: &'static str,
    /// Width and height in pixels.
    pub(crate) size: (u32, u32),
}

const LARGE: (u32, u32) = (1280, 800);
/// The minimum size of the window.
const LEAST: (u32, u32) = (900, 600);

const fn look(theme: &'static str, language: &'static str, size: (u32, u32)) -> Look {
    Look { theme, language, size }
}

/// Light and dark, English and Chinese: the pictures of every view and of the README.
const MAIN: [Look; 4] = [
    look("light", "en", LARGE),
    look("light", "zh-CN", LARGE),
    look("dark", "en", LARGE),
    look("dark", "zh-CN", LARGE),
];

/// The minimum window, and the long words of Japanese.
const SMALLEST: [Look; 2] = [look("light", "en", LEAST), look("dark", "ja", LEAST)];

/// The remaining themes, languages and sizes, for typical data.
const REST: [Look; 6] = [
    look("light", "ja", LARGE),
    look("dark", "ja", LARGE),
    look("light", "zh-CN", LEAST),
    look("light", "ja", LEAST),
    look("dark", "en", LEAST),
    look("dark", "zh-CN", LEAST),
];

/// High contrast, whose lines and colours do not depend on the amount of data.
const CONTRAST: [Look; 2] = [look("contrast-light", "en", LARGE), look("contrast-dark", "zh-CN", LARGE)];

impl Look {
    /// The looks for `amount`.
    pub(crate) fn of(amount: Amount) -> Vec<Self> {
        let smallest: &[Self] = if amount == Amount::Small { &[] } else { &SMALLEST };
        let (rest, contrast): (&[Self], &[Self]) =
            if amount == Amount::Typical { (&REST, &CONTRAST) } else { (&[], &[]) };
        MAIN.iter().chain(smallest).chain(rest).chain(contrast).copied().collect()
    }

    /// Whether the ends of long views are shown, too.
    pub(crate) fn has_ends(&self) -> bool {
        self.in_readme().is_some()
    }

    /// The folder of its pictures: `light-en`, `dark-ja-900x600`.
    pub(crate) fn name(&self) -> String {
        let (width, height) = self.size;
        let size = if self.size == LARGE { String::new() } else { format!("-{width}x{height}") };
        format!("{}-{}{size}", self.theme, self.language)
    }

    /// The suffix of this look's pictures in the README, if it has any: `dark-zh-CN`.
    pub(crate) fn in_readme(&self) -> Option<String> {
        let language = if self.language == "en" { String::new() } else { format!("-{}", self.language) };
        let is_main = self.size == LARGE && self.language != "ja" && !self.theme.starts_with("contrast");
        is_main.then(|| format!("{}{language}", self.theme))
    }
}
