import type { ArtifactRepository, Caller, PageRequest } from "../../src/contract/contract.js";
import { ServiceError, toIsoTime } from "../../src/kernel/kernel.js";
import { type ConsultationWire, consultationSchema } from "./consult-wire.js";

interface ConsultationItem {
	readonly consultation_id: string;
	readonly agent_id: string;
	readonly question: string;
	readonly created_at: string;
	readonly expires_at: string;
}

/** Answers of experts' twins that can be read again by whoever paid for them. */
export interface Consultations {
	/** Newest first. Throws INVALID_ARGUMENT for a cursor of another list. */
	list(
		caller: Caller,
		page: PageRequest,
	): Promise<{ readonly items: readonly ConsultationItem[]; readonly next_cursor: string | null }>;
	/** Throws NOT_FOUND alike for what nobody has, what is somebody else's and what is over. */
	get(caller: Caller, id: string): Promise<ConsultationWire>;
}

export function createConsultations({
	artifacts,
}: {
	readonly artifacts: Pick<ArtifactRepository, "find" | "list">;
}): Consultations {
	const find = async (caller: Caller, id: string) => {
		const kept = await artifacts.find(caller, "consultation", id);
		return kept && { ...kept, data: consultationSchema.parse(kept.data) };
	};
	return {
		async list(caller, page) {
			const { items, next_cursor } = await artifacts.list(caller, "consultation", page);
			const found = await Promise.all(items.map(({ id }) => find(caller, id)));
			return {
				// What was deleted meanwhile is left out.
				items: found.flatMap((kept) => (kept ? [toItem(kept)] : [])),
				next_cursor,
			};
		},

		async get(caller, id) {
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
}): ConsultationItem {
	const { id, data, createdAt, expiresAt } = kept;
	return {
		consultation_id: id,
		agent_id: data.expert.id,
		question: data.question,
		created_at: toIsoTime(createdAt),
		expires_at: toIsoTime(expiresAt),
	};
}
