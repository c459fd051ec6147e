import { readFileSync } from "node:fs";

/** Names of skills that were replaced; the older ones are still understood, and compared as if they were the newer. */
const ALIASES = JSON.parse(readFileSync(new URL("./aliases.json", import.meta.url), "utf8"));
const OLDER_NAMES = new RegExp(`\\b(?:${Object.keys(ALIASES).join("|")})\\b`, "g");

export const toCurrentName = (name) => ALIASES[name] ?? name;

/** A recording, with every name as it is now. */
export const withCurrentNames = (text) => text.replace(OLDER_NAMES, toCurrentName);
