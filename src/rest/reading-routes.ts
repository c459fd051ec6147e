import { z } from "zod";
import type { PaidOperationId } from "../contract/contract.js";
import type { PaidRoute } from "./route.js";

type About = Pick<PaidRoute, "summary" | "description" | "reply" | "example"> &
	Partial<Pick<PaidRoute, "path" | "query" | "body" | "pricePer">>;

const nothing = z.strictObject({});

/** Makes the routes of one family of readings, which share a path and the sentence that says what is paid for. */
export function createReadings<Id extends PaidOperationId>({
	path = nothing,
	billing,
}: {
	readonly path?: z.ZodObject;
	readonly billing: string;
}): (operationId: Id, about: About) => PaidRoute {
	return (operationId, about) => ({
		kind: "paid",
		operationId,
		path,
		query: nothing,
		...about,
		description: `${about.description} ${billing}`,
	});
}
