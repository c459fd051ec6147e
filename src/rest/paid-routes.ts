import type { PaidOperationId } from "../contract/contract.js";
import { ANALYST_CONSULT_ROUTES } from "./analyst-consult-routes.js";
import { BRAND_READING_ROUTES } from "./brand-intelligence-routes.js";
import { CONSULT_ROUTES } from "./consult-routes.js";
import { DOSSIER_ROUTES } from "./dossier-routes.js";
import { PAID_FEED_ROUTES } from "./feed-routes.js";
import type { PaidRoute } from "./route.js";
import { VERIFICATION_ROUTES } from "./verify-routes.js";
import { TEXT_VERIFICATION_ROUTES } from "./verify-text-routes.js";

/** Routes that cost money, one for each paid operation. Spec: Endpoints, paid operations. */
export const PAID_ROUTES: Readonly<Partial<Record<PaidOperationId, PaidRoute>>> = {
	...PAID_FEED_ROUTES,
	...CONSULT_ROUTES,
	...ANALYST_CONSULT_ROUTES,
	...VERIFICATION_ROUTES,
	...TEXT_VERIFICATION_ROUTES,
	...BRAND_READING_ROUTES,
	...DOSSIER_ROUTES,
};
