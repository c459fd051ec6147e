export { findTitleOf } from "./entity-resolution.js";
export {
	candidatesField,
	type MatchReason,
	matchScoreField,
	nameField,
	whyField,
} from "./entity-wire.js";
export { type NameEntry, type NameIndex, toNameIndex } from "./name-index.js";
