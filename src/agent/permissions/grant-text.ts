/** Grants in words, for the model and for people. Pure. */
import {
  type Grant,
  type GrantedProfile,
  nativeOfUri,
  type PermissionProfile,
  profileDigest,
} from "../../policy/index.ts";
import type { GrantScope } from "./permission-question.ts";

const UNTIL: Readonly<Record<GrantScope, string>> = {
  turn: "for this turn",
  session: "for as long as the thread is open",
};

export interface ToldGrant {
  readonly asked: Grant;
  readonly granted: Grant;
  readonly scope: GrantScope;
  readonly profile: PermissionProfile;
}

/** What holds from now on, and what does not. */
export function grantText({ asked, granted, scope, profile }: ToldGrant): string {
  const given = wordsOf(granted);
  const missing = wordsOf(asked).filter((one) => !given.includes(one));
  const rest = missing.length === 0 ? "" : ` Not granted as asked for: ${missing.join(", ")}.`;
  const digest = profileDigest(profile).slice(0, 16);
  return `Granted ${UNTIL[scope]}: ${given.join(", ")}.${rest} The policy of the turn is ${digest} now.`;
}

/** Why something is not even asked for. */
export function keptText([first]: GrantedProfile["kept"]): string {
  const { what, rule } = first ?? { what: "it", rule: "" };
  const why = `the policy denies it (rule: ${rule}), and a grant does not lift that`;
  return `Cannot ask for ${JSON.stringify(what)}: ${why}, expected something that it does not deny`;
}

function wordsOf({ network, files }: Grant): string[] {
  return [
    ...files.map(({ path, access }) => `${access} ${JSON.stringify(nativeOfUri(path) ?? path)}`),
    ...(network ? ["the network"] : []),
  ];
}
