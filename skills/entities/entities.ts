export { findTitleOf } from "./entity-resolution.js";
export { createEntity, createEntityResolve } from "./entity-skills.js";
export {
	candidatesField,
	entityIdField,
	entityOutput,
	entityResolveFields,
	entityResolveOutput,
	entitySchema,
	type MatchReason,
	matchScoreField,
	nameField,
	resolvedNameSchema,
	whyField,
} from "./entity-wire.js";
export { type NameEntry, type NameIndex, toNameIndex } from "./name-index.js";
