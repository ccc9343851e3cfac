//! The words by which agents and their providers say that they refuse, each with its source. A new word is a new row
//! here, and nowhere else.

use super::Refusal::{self, Limit, OwnBudget, SignIn};

/// A typed word: the class, code or status of an error.
pub(super) struct Class {
    /// As written; capitals don't matter.
    pub word: &'static str,
    pub means: Refusal,
    /// Who writes it, and where that is reported or documented.
    #[allow(dead_code, reason = "for the reader of the table; a test reads it")]
    pub source: &'static str,
}

/// A sentence that a message begins with, or a clause of it.
pub(super) struct Sentence {
    /// These words, in this order; the first of them begins the sentence.
    pub words: &'static [&'static str],
    pub means: Refusal,
    /// Like [`Class::source`].
    #[allow(dead_code, reason = "for the reader of the table; a test reads it")]
    pub source: &'static str,
}

const fn class(word: &'static str, means: Refusal, source: &'static str) -> Class {
    Class { word, means, source }
}

const fn says(words: &'static [&'static str], means: Refusal, source: &'static str) -> Sentence {
    Sentence { words, means, source }
}

/// HTTP statuses of a provider: RFC 9110; 429 by RFC 6585; 529 is Anthropic's "overloaded".
pub(super) const STATUSES: [(u32, Refusal); 5] =
    [(401, SignIn), (403, SignIn), (402, Limit), (429, Limit), (529, Limit)];

pub(super) const CLASSES: &[Class] = &[
    // Claude Code and the Anthropic API
    class("rate_limit", Limit, "Claude Code, `assistant.error`: Agent SDK, SDKAssistantMessageError"),
    class("billing_error", Limit, "Claude Code, `assistant.error`: anthropics/claude-code#85675"),
    class("overloaded", Limit, "Claude Code, `assistant.error`: Agent SDK, SDKAssistantMessageError"),
    class("authentication_failed", SignIn, "Claude Code, `assistant.error`: observed in 2.1.328"),
    class(
        "oauth_org_not_allowed",
        SignIn,
        "Claude Code, `assistant.error`: Agent SDK, SDKAssistantMessageError",
    ),
    class("rate_limit_error", Limit, "Anthropic API, errors: anthropics/claude-code#22603"),
    class("overloaded_error", Limit, "Anthropic API, errors: status 529"),
    class("authentication_error", SignIn, "Anthropic API, errors: status 401"),
    class("permission_error", SignIn, "Anthropic API, errors: status 403"),
    // Codex and the OpenAI API
    class("usage_limit_reached", Limit, "Codex backend: earendil-works/pi#4172"),
    class("usage_not_included", Limit, "Codex backend: codex-rs, UsageNotIncluded"),
    class("insufficient_quota", Limit, "OpenAI API, error codes: zurawiki/gptcommit#84"),
    class("billing_hard_limit_reached", Limit, "OpenAI API, error codes"),
    class("billing_not_active", Limit, "OpenAI API, error codes"),
    class("rate_limit_exceeded", Limit, "OpenAI API, error codes: codex-rs, responses API"),
    class("invalid_api_key", SignIn, "OpenAI API, error codes"),
    class("token_expired", SignIn, "Codex backend, OAuth"),
    // Gemini CLI and Google APIs
    class("TerminalQuotaError", Limit, "Gemini CLI, googleQuotaErrors: google-gemini/gemini-cli#26840"),
    class("RetryableQuotaError", Limit, "Gemini CLI, googleQuotaErrors: google-gemini/gemini-cli#22107"),
    class("RESOURCE_EXHAUSTED", Limit, "Google APIs, google.rpc.Code: google-gemini/gemini-cli#6962"),
    class("QUOTA_EXHAUSTED", Limit, "Cloud Code Assist, ErrorInfo.reason: google-gemini/gemini-cli#22107"),
    class("RATE_LIMIT_EXCEEDED", Limit, "Google APIs, ErrorInfo.reason"),
    class("rateLimitExceeded", Limit, "Google APIs, errors[].reason"),
    class("quotaExceeded", Limit, "Google APIs, errors[].reason"),
    class("INSUFFICIENT_G1_CREDITS_BALANCE", Limit, "Cloud Code Assist, ErrorInfo.reason"),
    class("FatalAuthenticationError", SignIn, "Gemini CLI, class of exit code 41"),
    class("UNAUTHENTICATED", SignIn, "Google APIs, google.rpc.Code"),
    class("API_KEY_INVALID", SignIn, "Google APIs, ErrorInfo.reason"),
    // Qwen Code and DashScope
    class("Throttling", Limit, "DashScope, error codes"),
    class("Throttling.RateQuota", Limit, "DashScope, error codes"),
    class("Throttling.BurstRate", Limit, "DashScope, error codes"),
    class("Throttling.AllocationQuota", Limit, "DashScope, error codes: QwenLM/qwen-code#1742"),
    class("AllocationQuota.FreeTierOnly", Limit, "DashScope, error codes"),
    class("LimitRequests", Limit, "DashScope, error codes"),
    class("limit_requests", Limit, "DashScope in OpenAI's form"),
    class("Arrearage", Limit, "DashScope, error codes: HKUDS/nanobot#4048"),
    class("InvalidApiKey", SignIn, "DashScope, error codes"),
    // Other providers behind these agents
    class("insufficient_balance", Limit, "DeepSeek, status 402"),
    class("insufficient_credits", Limit, "OpenRouter, status 402"),
    class("exceeded_current_quota_error", Limit, "Moonshot, error types"),
    class("quota_exceeded", Limit, "GitHub Copilot: microsoft/vscode-copilot-release#13468"),
    class("TooManyRequestsException", Limit, "Amazon Bedrock, exceptions"),
    class("ThrottlingException", Limit, "Amazon Bedrock, exceptions"),
];

pub(super) const SENTENCES: &[Sentence] = &[
    // Claude Code and the Anthropic API
    says(&["You've hit your ", "limit"], Limit, "Claude Code: anthropics/claude-code#65802, #72691"),
    says(&["You've reached your ", "limit"], Limit, "Claude Code: anthropics/claude-code#9040"),
    says(
        &["You have reached your ", "limit"],
        Limit,
        "Claude Code; Anthropic API, usage limits of an organization",
    ),
    says(&["Claude AI usage limit reached"], Limit, "Claude Code 1 and 2.0: anthropics/claude-code#8835"),
    says(&["Claude usage limit reached"], Limit, "Claude Code 1: anthropics/claude-code#8449"),
    says(&["Usage limit reached"], Limit, "Claude Code: anthropics/claude-code#8449"),
    says(&["Session limit reached"], Limit, "Claude Code 2.0"),
    says(&["Weekly limit reached"], Limit, "Claude Code 2.0: anthropics/claude-code#10333"),
    says(&["5-hour limit reached"], Limit, "Claude Code 2.0"),
    says(&["Opus ", "limit reached"], Limit, "Claude Code 2.0: anthropics/claude-code#10333, #9110"),
    says(&["Opus limit reached"], Limit, "Claude Code 2.0: anthropics/claude-code#9110"),
    says(&["Sonnet ", "limit reached"], Limit, "Claude Code 2.0"),
    says(&["Spending cap reached"], Limit, "Claude Code, usage-based plans"),
    says(&["You're out of ", "usage"], Limit, "Claude Code: anthropics/claude-code#22603"),
    says(&["You're out of ", "credits"], Limit, "Codex: codex-rs, UsageLimitReachedError"),
    says(&["Credit balance is too low"], Limit, "Claude Code: anthropics/claude-code#867"),
    says(&["Credit balance too low"], Limit, "Claude Code 1: anthropics/claude-code#867"),
    says(&["Your credit balance is too low"], Limit, "Anthropic API, status 400: anthropics/claude-code#867"),
    says(
        &["This request would exceed your ", "rate limit"],
        Limit,
        "Anthropic API: anthropics/claude-code#22603",
    ),
    says(&["Number of ", "has exceeded your ", "rate limit"], Limit, "Anthropic API, status 429"),
    says(&["Server is temporarily limiting requests"], Limit, "Claude Code 2.1"),
    says(&["Not logged in"], SignIn, "Claude Code: observed in 2.1.328"),
    says(&["Invalid API key"], SignIn, "Claude Code: `Invalid API key · Please run /login`"),
    says(&["OAuth token has expired"], SignIn, "Claude Code, status 401"),
    // Codex and the OpenAI API
    says(&["You have hit your ", "limit"], Limit, "Codex: codex-rs, UsageLimitReachedError"),
    says(&["The usage limit has been reached"], Limit, "Codex backend: earendil-works/pi#4172"),
    says(&["Quota exceeded. Check your plan and billing details"], Limit, "Codex: codex-rs, QuotaExceeded"),
    says(&["To use Codex with your ChatGPT plan, upgrade"], Limit, "Codex: codex-rs, UsageNotIncluded"),
    says(&["Your workspace is out of credits"], Limit, "Codex: codex-rs, UsageLimitReachedError"),
    says(&["Rate limit reached for "], Limit, "OpenAI API: codex-rs, responses API"),
    says(&["You exceeded your current quota"], Limit, "OpenAI and Gemini API: google-gemini/gemini-cli#6962"),
    says(&["shared rollout token budget exhausted"], OwnBudget, "Codex: openai/codex#37676"),
    // Gemini CLI and Google APIs
    says(&["You have exhausted your "], Limit, "Gemini CLI: google-gemini/gemini-cli#26840, #22107"),
    says(&["You have reached your daily ", "quota"], Limit, "Gemini CLI"),
    says(&["Quota exceeded for "], Limit, "Google APIs: google-gemini/gemini-cli#15576"),
    says(&["Resource has been exhausted"], Limit, "Google APIs, google.rpc.Code 8"),
    says(&["Your prepayment credits are depleted"], Limit, "Gemini API"),
    says(&["Please set an Auth method"], SignIn, "Gemini CLI: google-gemini/gemini-cli#20183"),
    says(&["Invalid auth method selected"], SignIn, "Gemini CLI: observed in 0.61.0"),
    says(&["API key not valid"], SignIn, "Gemini API, status 400"),
    // Qwen Code and DashScope
    says(&["Qwen OAuth quota exceeded"], Limit, "Qwen Code: hawkxtreme/mini-ai-1c#23"),
    says(&["Your free daily quota has been reached"], Limit, "Qwen Code: hawkxtreme/mini-ai-1c#23"),
    says(&["Free allocated quota exceeded"], Limit, "DashScope: QwenLM/qwen-code#1742"),
    says(&["Allocated quota exceeded"], Limit, "DashScope, error codes"),
    says(&["hour allocated quota exceeded"], Limit, "DashScope, coding plan"),
    says(&["week allocated quota exceeded"], Limit, "DashScope, coding plan"),
    says(&["month allocated quota exceeded"], Limit, "DashScope, coding plan"),
    says(&["The free tier of the model has been exhausted"], Limit, "DashScope, error codes"),
    says(&["Requests rate limit exceeded"], Limit, "DashScope, error codes"),
    says(&["You exceeded your current requests list"], Limit, "DashScope, error codes"),
    says(
        &["Access denied, please make sure your account is in good standing"],
        Limit,
        "DashScope, Arrearage",
    ),
    // Other providers behind these agents
    says(&["Insufficient Balance"], Limit, "DeepSeek, status 402"),
    says(&["Insufficient credits"], Limit, "OpenRouter, status 402"),
    says(&["This request requires more credits"], Limit, "OpenRouter, status 402"),
];
