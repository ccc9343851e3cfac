//! The texts of licences: from the files of a package, or the usual words where a package has none.

use std::path::Path;
use std::{fs, io};

use xtask::workspace::root;

/// How names of files with licences begin.
const NAMES: [&str; 6] = ["license", "licence", "copying", "copyright", "unlicense", "notice"];

/// A sentence by which the text of a licence is known.
#[rustfmt::skip] // a table
const MARKS: [(&str, &str); 11] = [
    ("MIT", "Permission is hereby granted, free of charge"),
    ("MIT-0", "Permission is hereby granted, free of charge"),
    ("Apache-2.0", "Apache License"),
    ("BSD-2-Clause", "Redistribution and use in source and binary forms"),
    ("BSD-3-Clause", "Redistribution and use in source and binary forms"),
    ("CC0-1.0", "CC0"),
    ("ISC", "Permission to use, copy, modify, and"),
    ("MPL-2.0", "Mozilla Public License"),
    ("PSF-2.0", "PYTHON SOFTWARE FOUNDATION LICENSE"),
    ("Unicode-3.0", "UNICODE LICENSE V3"),
    ("Zlib", "This software is provided 'as-is'"),
];

/// What BSD licences say; the third clause belongs to one of them only.
const BSD: &str = "\
Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following \
conditions are met:

1. Redistributions of source code must retain the above copyright notice, this list of conditions and the following disclaimer.

2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following \
disclaimer in the documentation and/or other materials provided with the distribution.
";
const BSD_THIRD: &str = "
3. Neither the name of the copyright holder nor the names of its contributors may be used to endorse or promote products \
derived from this software without specific prior written permission.
";
const BSD_END: &str = "
THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS \"AS IS\" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, \
BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT \
SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL \
DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS \
INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING \
NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
";

/// The texts of licence files in the folder of a package, by name.
pub(super) fn of_package(folder: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if NAMES.iter().any(|begin| name.starts_with(begin)) && entry.path().is_file() {
            let text = String::from_utf8_lossy(&fs::read(entry.path())?).into_owned();
            found.push((name, tidy(&text)));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, text)| text).collect())
}

/// The texts for `licence` among `texts` of a package; all of them when none is known as such.
pub(super) fn for_licence(licence: &str, texts: &[String]) -> Vec<String> {
    let mark = mark(licence).unwrap_or(licence);
    let known: Vec<String> = texts.iter().filter(|text| flat(text).contains(mark)).cloned().collect();
    if known.is_empty() { texts.to_vec() } else { known }
}

/// The text of a licence that is the same for everybody, or the usual one with the name of who holds the rights. None where there
/// is no such text.
pub(super) fn usual(licence: &str, holder: &str, of_others: &[String]) -> Option<String> {
    let copyright = format!("Copyright (c) {holder}\n\n");
    match licence {
        "Apache-2.0" => Some(tidy(&fs::read_to_string(root().join("LICENSE-APACHE")).ok()?)),
        "MIT" => {
            let ours = fs::read_to_string(root().join("LICENSE-MIT")).ok()?;
            let permission = ours.split_once("Permission is hereby granted")?.1;
            Some(tidy(&format!("{copyright}Permission is hereby granted{permission}")))
        }
        "BSD-2-Clause" => Some(tidy(&format!("{copyright}{BSD}{BSD_END}"))),
        "BSD-3-Clause" => Some(tidy(&format!("{copyright}{BSD}{BSD_THIRD}{BSD_END}"))),
        // Nobody's name is in them.
        "MPL-2.0" | "CC0-1.0" => {
            let mark = mark(licence)?;
            of_others.iter().find(|text| flat(text).contains(mark)).cloned()
        }
        _ => None,
    }
}

fn mark(licence: &str) -> Option<&'static str> {
    MARKS.iter().find(|(name, _)| *name == licence).map(|(_, mark)| *mark)
}

/// In one line, because texts are wrapped at any width.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Without the spaces and line ends that differ between copies of one text.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().map(str::trim_end).collect();
    let lines = lines.join("\n");
    lines.trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_the_licence_is_taken() {
        let mit = "Copyright (c) Ana\n\nPermission is hereby\ngranted, free of charge".to_owned();
        let free = "This is free and unencumbered software".to_owned();
        let texts = [mit.clone(), free.clone()];
        assert_eq!(for_licence("MIT", &texts), [mit]);
        assert_eq!(for_licence("ISC", &texts), texts, "none is known as such");
    }

    #[test]
    fn a_package_without_a_file_has_the_usual_text_with_its_authors() {
        for licence in ["MIT", "BSD-2-Clause", "BSD-3-Clause"] {
            let text = usual(licence, "Ana", &[]).expect("a text");
            assert!(text.starts_with("Copyright (c) Ana\n\n"), "{text}");
            assert!(flat(&text).contains(mark(licence).expect("a mark")), "{text}");
        }
        assert_eq!(usual("MPL-2.0", "Ana", &[]), None);
        let others = ["Mozilla Public\nLicense".to_owned()];
        assert_eq!(usual("MPL-2.0", "Ana", &others).as_ref(), others.first());
    }

    #[test]
    fn copies_of_one_text_are_the_same() {
        assert_eq!(tidy("\u{feff}\r\n  a \r\nb\r\n\n"), "  a\nb");
    }
}
