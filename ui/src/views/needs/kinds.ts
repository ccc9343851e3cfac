import type { Component } from "svelte";
import type { Role, Shape } from "../../components/shapes";
import type { NeedKind } from "../../host/bindings";
import type { BodyProps } from "./body";
import FailedBody from "./FailedBody.svelte";
import InterruptedBody from "./InterruptedBody.svelte";
import LeftBody from "./LeftBody.svelte";
import LimitBody from "./LimitBody.svelte";
import MenuBody from "./MenuBody.svelte";
import PermissionBody from "./PermissionBody.svelte";
import QuestionBody from "./QuestionBody.svelte";
import SignInBody from "./SignInBody.svelte";
import UsageBody from "./UsageBody.svelte";

interface Kind {
  readonly shape: Shape;
  readonly role: Role;
  readonly body: Component<BodyProps>;
}

/** How each kind looks: the shapes are those of the status it leads to. */
export const KINDS: Readonly<Record<NeedKind, Kind>> = {
  permission: { shape: "speech", role: "attention", body: PermissionBody },
  question: { shape: "speech", role: "attention", body: QuestionBody },
  menu: { shape: "speech", role: "attention", body: MenuBody },
  limit_reached: { shape: "limit", role: "attention", body: LimitBody },
  usage_limit: { shape: "hourglass", role: "attention", body: UsageBody },
  sign_in: { shape: "octagon", role: "attention", body: SignInBody },
  failed: { shape: "cross", role: "danger", body: FailedBody },
  left_over: { shape: "octagon", role: "danger", body: LeftBody },
  interrupted: { shape: "broken", role: "danger", body: InterruptedBody },
};
