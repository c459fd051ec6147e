export { findCalled } from "./entities.operations.js";
export {
	candidatesField,
	matchScoreField,
	nameField,
	whyField,
} from "./entity-wire.js";
export { addToList, type NameEntry, type NameIndex, toNameIndex } from "./name-index.js";
