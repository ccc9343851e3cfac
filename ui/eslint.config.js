import svelte from "eslint-plugin-svelte";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

const tauriOnlyInHost = {
  patterns: [
    {
      group: ["@tauri-apps/*"],
      // One place knows the desktop shell; everything else runs in a browser and in tests against the memory host.
      message: "Only src/host/ talks to the desktop shell; use the Host interface.",
    },
  ],
};

// The generated commands know the name, the arguments and the answer of each; a string knows none of them.
const commandsMessage = "Call a command of src/host/bindings.ts.";
const invokeOnlyInBindings = {
  paths: [{ name: "@tauri-apps/api/core", importNames: ["invoke"], message: commandsMessage }],
};
const noStringInvokes = [
  "CallExpression[callee.name='invoke']",
  "MemberExpression[property.name='invoke']",
].map((selector) => ({ selector, message: commandsMessage }));

// What a file has there may be any word; what it means is said by a typed field beside it, from the core.
const asWritten =
  "/^(status|file_word|own_word|type_word|mode_word|tool|on_error|next_suggestion|loop_back_to)$/";
const noRuleOfAFormat = [
  `BinaryExpression[operator=/^[!=]==$/][left.property.name=${asWritten}][right.value=/./]`,
  `CallExpression[callee.property.name=/^(includes|has|hasOwn)$/] > MemberExpression.arguments[property.name=${asWritten}]`,
  `CallExpression[callee.property.name=/^to(Locale)?LowerCase$/] > MemberExpression > MemberExpression[property.name=${asWritten}]`,
  `CallExpression[callee.property.name=/^to(Locale)?LowerCase$/] CallExpression[callee.property.name="trim"] > MemberExpression > MemberExpression[property.name=${asWritten}]`,
  `SwitchStatement > MemberExpression.discriminant[property.name=${asWritten}]`,
].map((selector) => ({
  selector,
  message: "The page knows no words of files: ask the core for a typed field that says what the word means.",
}));

// The desktop's own tips are black boxes over the next row, which no key shows and no language of ours reaches.
const noNativeTips = [
  "SvelteElement[kind='html']",
  "SvelteElement[kind='special'][name.name='svelte:element']",
]
  .flatMap((element) => ["SvelteAttribute", "SvelteShorthandAttribute"].map((one) => [element, one]))
  .map(([element, attribute]) => ({
    selector: `${element} > SvelteStartTag > ${attribute}[key.name="title"]`,
    message: "Say it in data-tip: the one tip of the window shows it (components/tips.svelte.ts).",
  }));

// What is derived may be made at any time, or not at all: it must leave nothing behind. What is made from the last one
// is `remade` (state/remade.svelte.ts).
const isDerived = ({ type, callee }) =>
  type === "CallExpression" && (callee.name === "$derived" || callee.object?.name === "$derived");

const derivedLeavesNothing = {
  create(context) {
    const { sourceCode } = context;
    function check(node, target) {
      const derived = sourceCode.getAncestors(node).findLast(isDerived);
      if (!derived) return;
      const ofObject = target.type === "MemberExpression" && target.object.type === "ThisExpression";
      let scope = target.type === "Identifier" ? sourceCode.getScope(node) : null;
      while (scope && !scope.set.has(target.name)) scope = scope.upper;
      const name = scope?.set.get(target.name)?.identifiers[0];
      const outside = name && (name.range[0] < derived.range[0] || name.range[1] > derived.range[1]);
      if (ofObject || outside) context.report({ node, message: "A $derived leaves nothing behind." });
    }
    return {
      AssignmentExpression: (node) => check(node, node.left),
      UpdateExpression: (node) => check(node, node.argument),
    };
  },
};

export default ts.config(
  { ignores: ["dist/", "node_modules/", "src/host/bindings.ts"] },
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
  {
    plugins: { loopdeck: { rules: { "derived-leaves-nothing": derivedLeavesNothing } } },
    rules: {
      "loopdeck/derived-leaves-nothing": "error",
      "no-restricted-imports": ["error", tauriOnlyInHost],
      // Text from state files is untrusted; it is text, never markup.
      "svelte/no-at-html-tags": "error",
      // Code from strings is what the content security policy forbids.
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      // Synchronous dialogs freeze the window's loop.
      "no-alert": "error",
      // Lists of this app come and go under the pointer; without a key a row would show its neighbour's state.
      "svelte/require-each-key": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-restricted-syntax": ["error", ...noStringInvokes, ...noRuleOfAFormat, ...noNativeTips],
      // The file's own Maps are deliberately plain: signals live in the cells, not in the index.
      "svelte/prefer-svelte-reactivity": "off",
      // TypeScript knows the globals better.
      "no-undef": "off",
    },
  },
  {
    files: ["src/host/**"],
    rules: {
      "no-restricted-imports": ["error", invokeOnlyInBindings],
      "no-restricted-syntax": ["error", ...noStringInvokes],
    },
  },
  { files: ["tests/**"], rules: { "no-restricted-syntax": "off" } },
);
