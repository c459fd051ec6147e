export { type BrandDirectory, createBrandDirectory } from "./brand-directory.js";
export {
	brandField,
	bucketField,
	checkWindow,
	compareFields,
	intelligenceFields,
	windowQueryFields,
} from "./brand-input-wire.js";
export { createBrandReadings } from "./brand-readings.js";
export {
	brandSignalsOutput,
	brandSourceSchema,
	brandSourcesOutput,
	brandTimelineOutput,
	comparedBrandSchema,
	compareOutput,
	intelligenceOutput,
	intelligenceSchema,
	signalSchema,
} from "./brand-wire.js";
