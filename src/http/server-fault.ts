import type { ServerResponse } from "node:http";
import type { ServiceError } from "../kernel/kernel.js";
import { hasLeft } from "./caller-watch.js";

/** Whether an operator is to hear of it, whichever transport met it: what breaks because its caller has left is no failure. */
export function isOurFailure({ code }: ServiceError, response: ServerResponse): boolean {
	return code === "INTERNAL" && !hasLeft(response);
}
