export { createJobs, type JobPlace, type Jobs } from "./job-control.js";
export { toJobCost } from "./job-cost.js";
export { JOB_LIMITS } from "./job-limits.js";
export { createJobNotes } from "./job-notes.js";
export {
	type DEEP_DIVE_MODES,
	type DeepDiveFollowUpInput,
	type DeepDiveWireInput,
	deepDiveFields,
	deepDiveFollowUpFields,
	deepDiveFollowUpInput,
	deepDiveInput,
	type JobCreditWire,
	type JobLaunchedOutput,
	type JobStatusWire,
	type JobWire,
	jobDeletedSchema,
	jobIdField,
	jobLaunchedOutput,
	jobListSchema,
	jobSchema,
	jobSourcesSchema,
	jobStatusSchema,
} from "./job-schemas.js";
export { createJobViews, type JobView, type JobViews } from "./job-views.js";
export { createLaunchedJobs, toJobWire } from "./job-wire.js";
