import { bindSkill } from "../../src/contract/bind-skills.js";
import type { PaidOperation } from "../../src/contract/operation.js";
import type { SkillServices } from "../../src/contract/services.js";

/** As much of each service as a test needs. */
type SomeServices = { readonly [Name in keyof SkillServices]?: Partial<SkillServices[Name]> };

/** A sold operation over the few services that a test brings. */
export const boundSkill = (operation: PaidOperation, services: object) =>
	bindSkill(operation, services as SkillServices);
