export { createJobs, type JobPlace, type Jobs } from "./job-control.js";
export { createJobNotes } from "./job-endings.js";
export { toJobCost } from "./job-events.js";
export {
	type DEEP_DIVE_MODES,
	deepDiveFields,
	deepDiveFollowUpFields,
	deepDiveFollowUpInput,
	deepDiveInput,
	JOB_LIMITS,
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
export {
	createJobViews,
	createLaunchedJobs,
	type JobView,
	type JobViews,
	toJobWire,
} from "./job-views.js";
