export {
	type AccessScope,
	type AccountAccess,
	grantIdOf,
	type IdentifyOptions,
	isWallet,
	maySeeAgain,
} from "./account-access.js";
export {
	type Artifact,
	type ArtifactKind,
	type ArtifactRepository,
	type KeptResult,
	type KeptStream,
	type PlainEvent,
	STAGED_TURN,
} from "./artifacts.js";
export { BILLING_TYPES, type BillingType, type ReleaseReason } from "./billing-types.js";
export { bindSkills } from "./bind-skills.js";
export { createBoundedWork } from "./bounded-work.js";
export type { Call, Caller, CallResult, Invoke, SettlementWire } from "./call.js";
export { ANONYMOUS, isTheirs, keepsText, mayRead } from "./caller-rights.js";
export {
	type CitationWire,
	type CitedTextWire,
	citationSchema,
	citedTextSchema,
} from "./citation-wire.js";
export {
	type Credential,
	type Payment,
	parseCredential,
	parsePayment,
	type SentHeaders,
} from "./credential.js";
export {
	inputDocument,
	isOpenJob,
	JOB_STATUSES,
	type JobEventName,
	type JobJson,
	type JobState,
	type JobStatus,
	type JobWork,
	jobDocuments,
	LAST_EVENTS,
	type PassContext,
	type WorkEnd,
	type WorkEvent,
	type WorkProgress,
	workDocument,
} from "./job.js";
export { INDEX_LIMITS, LIMITS } from "./limits.js";
export { readCursor, toCursor, toKeyPart } from "./list-cursor.js";
export {
	replyComponent,
	replyComponents,
	requestComponent,
	requestComponents,
} from "./named-schemas.js";
export {
	isSafeIssuer,
	OAUTH_KEY_CLAIM,
	OAUTH_RESOURCE_PATHS,
	OAUTH_SCOPE,
	type OAuthResourcePath,
} from "./oauth-resources.js";
export {
	type DataOperation,
	type DocumentOperation,
	dataOperation,
	documentOperation,
	type Operation,
	type OwnerOperation,
	type OwnerRequest,
	ownerOperation,
	type PaidOperation,
	PER_CALL,
	type PriceTerms,
	type PurchaseOperation,
	type PurchaseReply,
	paidOperation,
	purchaseOperation,
	type RawRequest,
	type ToolTerms,
} from "./operation.js";
export {
	AGENT_ROWS,
	KIND_ROWS,
	OPERATION_ROWS,
} from "./operation-table.js";
export {
	findSkillId,
	namesOperation,
	OPERATION_ADDRESSES,
	OPERATION_OF_SKILL,
	type OperationAddress,
	type OperationId,
	PAID_OPERATION_IDS,
	type PaidOperationId,
	type PricedOperationId,
	type PurchaseOperationId,
	SKILL_ALIASES,
	SKILL_IDS,
	type SkillId,
	toOperationName,
} from "./operations.js";
export type { PageRequest } from "./page-request.js";
export { invalidInput, parseInput } from "./parse-input.js";
export { PREPAID_METHOD, prepaidTokenOf, readPaymentCredential } from "./payment-scheme.js";
export type { Price, PriceBook, PriceList } from "./prices.js";
export {
	AFTER,
	catalogPageQuery,
	digitsField,
	limitQuery,
	listField,
	pageQuery,
	readLastEventId,
	resumeQuery,
} from "./query-fields.js";
export { EVIDENCE_LIMITS, READING_LIMITS } from "./reading-limits.js";
export {
	isoDayField,
	searchReplySchema,
	toReply,
	usdField,
} from "./reply-schemas.js";
export {
	REPORT_FORMATS,
	REPORT_MEDIA_TYPES,
	type ReportFile,
	type ReportFormat,
} from "./report-formats.js";
export { toRequestPath } from "./request-path.js";
export { keptUntil } from "./retention-note.js";
export type { ServedDocument } from "./served-document.js";
export type { Json, ServiceInfo } from "./service-info.js";
export type { Services, SkillServices } from "./services.js";
export {
	answer,
	type JobOffer,
	noAnswer,
	type Outcome,
	type PaidOutput,
	type PricedBy,
	type Skill,
	type SkillCatalog,
	type SkillContext,
	type SkillEvent,
} from "./skill.js";
export { ANSWER_LIMITS, STREAM_LIMITS } from "./stream-limits.js";
export { pushDocument, taskDocument } from "./task-documents.js";
export { TASK_LIMITS } from "./task-limits.js";
export {
	ADVICE_STANCES,
	type AdviceStance,
	CLAIM_KINDS,
	type ClaimKind,
	GATE_METHODS,
	GATE_STATUSES,
	GATES,
	type GateMethod,
	type GateName,
	type GateStatus,
	isSoldVerdict,
	STANCES,
	type Stance,
	TIME_FRAMES,
	type TimeFrame,
	VERDICTS,
	type Verdict,
} from "./verdicts.js";
export {
	type CostWire,
	type CreditWire,
	conceptFiltersSchema,
	cursorField,
	DATA_STATUSES,
	DATE_PRECISIONS,
	type DataStatus,
	type DatePrecision,
	DECISIONS,
	type Decision,
	dayField,
	type EvidenceWire,
	type ExplanationWire,
	evidenceSchema,
	explainField,
	type FiltersWire,
	GRAPH_TYPES,
	type GraphType,
	graphFiltersSchema,
	graphIdField,
	graphTypesField,
	limitField,
	queryField,
	type RowWire,
	rowSchema,
	type SearchResponse,
	searchResponseSchema,
	TRUST_TIERS,
	type TrustTier,
} from "./wire.js";
export { WRITER_LIMITS } from "./writer-limits.js";
