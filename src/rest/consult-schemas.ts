import { z } from "zod";
import {
	agentIdField,
	consentSchema,
	consultationIdField,
	consultationSchema,
	consultedExpertSchema,
	consultFields,
	consultOutput,
	elsewhereSchema,
	panelFields,
	panelOutput,
	questionField,
	twinAnswerSchema,
} from "../../skills/experts/experts.js";
import {
	citationSchema,
	citedTextSchema,
	replyComponent,
	requestComponent,
	toReply,
} from "../contract/contract.js";

/** Bodies and replies of consultations. */

replyComponent("Citation", citationSchema);
replyComponent("CitedText", citedTextSchema);
replyComponent("Consent", consentSchema);
replyComponent("ConsultedExpert", consultedExpertSchema);
replyComponent("TwinAnswer", twinAnswerSchema);
replyComponent("Elsewhere", elsewhereSchema);
export const consultationData = replyComponent("Consultation", consultationSchema);

export const consultReply = toReply("ConsultReply", consultOutput);
export const panelReply = toReply("PanelReply", panelOutput);

export const consultBody = requestComponent("ConsultRequest", z.strictObject(consultFields));
export const panelBody = requestComponent("PanelRequest", z.strictObject(panelFields));
export const followUpBody = requestComponent(
	"FollowUpRequest",
	z.strictObject({ question: questionField }),
);
export const consultationPath = z.strictObject({ consultation_id: consultationIdField });
export const expertPath = z.strictObject({ agent_id: agentIdField });

export const consultationListData = replyComponent(
	"ConsultationList",
	z.object({
		items: z.array(
			z.object({
				consultation_id: z.string(),
				agent_id: z.string(),
				question: z.string(),
				created_at: z.iso.datetime(),
				expires_at: z.iso.datetime().describe("When it is forgotten"),
			}),
		),
	}),
);

export const questionListData = replyComponent(
	"ExpertQuestions",
	z.object({ items: z.array(z.object({ question: z.string() })) }),
);

const dayOrNull = z.iso.date().nullable();
export const expertSourcesData = replyComponent(
	"ExpertSources",
	z.object({
		items: z.array(
			z.object({
				host: z.string(),
				articles: z.int().describe("Distinct addresses cited"),
				oldest: dayOrNull,
				newest: dayOrNull,
			}),
		),
	}),
);
