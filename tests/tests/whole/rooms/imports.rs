//! Which module of a package names which other one, read from the code with `syn`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// The path of a module below its crate: `drivers::found`; the crate itself is empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Module(Vec<String>);

impl Module {
    pub(crate) fn as_str(&self) -> &str {
        self.0.first().map_or("", |joined| joined.as_str())
    }

    fn joined(parts: &[String]) -> Self {
        Self(vec![parts.join("::")])
    }
}

/// The files of a crate and the modules each one names.
pub(crate) struct Crate {
    /// By path below the crate.
    files: BTreeMap<Vec<String>, BTreeSet<Vec<String>>>,
}

/// The files of a crate, by path below it.
type Files = BTreeMap<Vec<String>, syn::File>;

/// The library and the program in `folder/src`, as far as there are both. Files without a `mod`, and those of tests, are left out.
fn crates_in(folder: &Path) -> Vec<Files> {
    let source = folder.join("src");
    let roots = ["lib.rs", "main.rs"].map(|name| source.join(name));
    let parsed = |root: &PathBuf| {
        let mut files = Files::new();
        read_file(root, &source, Vec::new(), &mut files);
        files
    };
    roots.iter().filter(|root| root.exists()).map(parsed).collect()
}

impl Crate {
    /// The crates of the package in `folder`.
    pub(crate) fn all_in(folder: &Path) -> Vec<Self> {
        crates_in(folder).iter().map(Self::new).collect()
    }

    fn new(parsed: &Files) -> Self {
        let known: BTreeSet<Vec<String>> = parsed.keys().cloned().collect();
        let files = parsed
            .iter()
            .map(|(module, file)| {
                let mut paths = Paths { module: module.clone(), known: &known, found: BTreeSet::new() };
                file.items
                    .iter()
                    .filter(|item| !is_test(attributes(item)))
                    .for_each(|item| paths.visit_item(item));
                (module.clone(), paths.found)
            })
            .collect();
        Self { files }
    }

    /// Groups of files that import each other, directly or through others, each with its imports within the
    /// group. A child and its parent may import each other.
    pub(crate) fn circles(&self) -> Vec<BTreeMap<Module, BTreeSet<Module>>> {
        let modules: Vec<&Vec<String>> = self.files.keys().collect();
        let reach: BTreeMap<&Vec<String>, BTreeSet<&Vec<String>>> =
            modules.iter().map(|module| (*module, self.reached_from(module))).collect();
        let mut circles = Vec::new();
        let mut placed: BTreeSet<&Vec<String>> = BTreeSet::new();
        for module in &modules {
            let group: BTreeSet<&Vec<String>> = reach[module]
                .iter()
                .copied()
                .filter(|other| reach[*other].contains(*module) && !placed.contains(*other))
                .collect();
            if group.len() < 2 || !group.contains(*module) {
                continue;
            }
            placed.extend(&group);
            let within = |from: &Vec<String>| {
                self.arrows(from).filter(|to| group.contains(to)).map(|to| Module::joined(to)).collect()
            };
            circles.push(group.iter().map(|from| (Module::joined(from), within(from))).collect());
        }
        circles
    }

    fn arrows<'p>(&'p self, from: &'p [String]) -> impl Iterator<Item = &'p Vec<String>> {
        self.files[from].iter().filter(move |to| !is_line(from, to))
    }

    fn reached_from<'p>(&'p self, start: &'p [String]) -> BTreeSet<&'p Vec<String>> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&Vec<String>> = self.arrows(start).collect();
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                open.extend(self.arrows(next));
            }
        }
        seen
    }
}

/// Whether one contains the other.
fn is_line(one: &[String], other: &[String]) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

fn read_file(file: &Path, folder: &Path, module: Vec<String>, into: &mut Files) {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    for item in &parsed.items {
        let syn::Item::Mod(child) = item else { continue };
        if child.content.is_some() || is_test(&child.attrs) {
            continue;
        }
        let name = child.ident.to_string();
        let (path, below) = place(folder, file, &name, &child.attrs);
        let mut inner = module.clone();
        inner.push(name);
        if path.exists() {
            read_file(&path, &below, inner, into);
        }
    }
    into.insert(module, parsed);
}

/// The location of the module `name`, and the folder of its own children.
fn place(folder: &Path, parent: &Path, name: &str, attributes: &[syn::Attribute]) -> (PathBuf, PathBuf) {
    if let Some(path) = attributes.iter().find_map(path_attribute) {
        let file = parent.parent().expect("a folder").join(path);
        let below = file.with_extension("");
        return (file, below);
    }
    let flat = folder.join(format!("{name}.rs"));
    let below = folder.join(name);
    if flat.exists() { (flat, below) } else { (below.join("mod.rs"), below) }
}

fn path_attribute(attribute: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value else { return None };
    attribute.path().is_ident("path").then(|| text.value())
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        attribute.path().is_ident("cfg") && list.tokens.to_string() == "test"
    })
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        _ => &[],
    }
}

/// Collects the modules that a file's paths lead to.
struct Paths<'k> {
    module: Vec<String>,
    known: &'k BTreeSet<Vec<String>>,
    found: BTreeSet<Vec<String>>,
}

impl Paths<'_> {
    /// Adds the file that a path in this one leads to.
    fn note(&mut self, path: &[String]) {
        let Some(mut at) = self.start(path) else { return };
        let rest = path.iter().skip_while(|part| matches!(part.as_str(), "crate" | "super" | "self"));
        for part in rest {
            at.push(part.clone());
            if !self.known.contains(&at) {
                at.pop();
                break;
            }
        }
        if at != self.module && self.known.contains(&at) && !at.is_empty() {
            self.found.insert(at);
        }
    }

    fn start(&self, path: &[String]) -> Option<Vec<String>> {
        let mut at = match path.first()?.as_str() {
            "crate" => return Some(Vec::new()),
            "self" | "super" => self.module.clone(),
            name => {
                let mut child = self.module.clone();
                child.push(name.to_owned());
                return self.known.contains(&child).then(|| self.module.clone());
            }
        };
        for _ in path.iter().filter(|part| *part == "super") {
            at.pop()?;
        }
        Some(at)
    }

    fn note_tree(&mut self, before: &[String], tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => {
                let mut longer = before.to_vec();
                longer.push(path.ident.to_string());
                self.note_tree(&longer, &path.tree);
            }
            syn::UseTree::Name(name) => self.note(&[before, &[name.ident.to_string()]].concat()),
            syn::UseTree::Rename(name) => self.note(&[before, &[name.ident.to_string()]].concat()),
            syn::UseTree::Glob(_) => self.note(before),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.note_tree(before, tree)),
        }
    }
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.note_tree(&[], &item.tree);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        if parts.len() > 1 {
            self.note(&parts);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, macro_: &'ast syn::Macro) {
        // Paths within the arguments of a macro are tokens; those that start at the crate or above are
        // enough.
        let text = macro_.tokens.to_string().replace(' ', "");
        for start in ["crate::", "super::"] {
            for (at, _) in text.match_indices(start) {
                let path = text[at..].split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).next();
                let parts: Vec<String> = path
                    .unwrap_or_default()
                    .split("::")
                    .map(str::to_owned)
                    .filter(|part| !part.is_empty())
                    .collect();
                self.note(&parts);
            }
        }
        visit::visit_macro(self, macro_);
    }
}

/// Every type of a package that is not part of its tests, with its module.
pub(crate) fn types_of(folder: &Path) -> Vec<(String, String)> {
    let named = crates_in(folder).into_iter().flatten().flat_map(|(module, file)| {
        type_names(&file.items).into_iter().map(|name| (module.join("::"), name)).collect::<Vec<_>>()
    });
    named.collect()
}

/// Structs, enums, traits and type aliases among `items`, those of tests left out.
pub(crate) fn type_names(items: &[syn::Item]) -> Vec<String> {
    let mut names = Vec::new();
    for item in items.iter().filter(|item| !is_test(attributes(item))) {
        match item {
            syn::Item::Struct(one) => names.push(one.ident.to_string()),
            syn::Item::Enum(one) => names.push(one.ident.to_string()),
            syn::Item::Trait(one) => names.push(one.ident.to_string()),
            syn::Item::Type(one) => names.push(one.ident.to_string()),
            syn::Item::Mod(one) => {
                names.extend(one.content.iter().flat_map(|(_, items)| type_names(items)));
            }
            _ => {}
        }
    }
    names
}
