import type { ArtifactRepository, Caller, PageRequest } from "../../src/contract/contract.js";
import { ServiceError, toIsoTime } from "../../src/kernel/kernel.js";
import { type ConsultationWire, consultationSchema } from "./consult-wire.js";

export type Consultations = ReturnType<typeof createConsultations>;

/** Answers of experts' twins that their buyers can read again. */
export function createConsultations({
	artifacts,
}: {
	readonly artifacts: Pick<ArtifactRepository, "find" | "list">;
}) {
	const find = async (caller: Caller, id: string) => {
		const kept = await artifacts.find(caller, "consultation", id);
		return kept && { ...kept, data: consultationSchema.parse(kept.data) };
	};
	return {
		/** Newest first. Throws INVALID_ARGUMENT for a cursor of another list. */
		async list(caller: Caller, page: PageRequest) {
			const { items, next_cursor } = await artifacts.list(caller, "consultation", page);
			const found = await Promise.all(items.map(({ id }) => find(caller, id)));
			// What was deleted meanwhile is left out.
			return { items: found.flatMap((kept) => (kept ? [toItem(kept)] : [])), next_cursor };
		},

		/** Throws NOT_FOUND alike for what does not exist, belongs to another caller or has expired. */
		async get(caller: Caller, id: string): Promise<ConsultationWire> {
			const kept = await find(caller, id);
			if (kept) return { ...kept.data, kept_until: toIsoTime(kept.expiresAt) };
			throw new ServiceError("NOT_FOUND", `No consultation of yours is called "${id}".`);
		},
	};
}

function toItem(kept: {
	readonly id: string;
	readonly data: ConsultationWire;
	readonly createdAt: number;
	readonly expiresAt: number;
}) {
	const { id, data, createdAt, expiresAt } = kept;
	return {
		consultation_id: id,
		agent_id: data.expert.id,
		question: data.question,
		created_at: toIsoTime(createdAt),
		expires_at: toIsoTime(expiresAt),
	};
}
