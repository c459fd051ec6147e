import { bindSkill } from "../../src/contract/bind-skills.js";
import type { PaidOperation } from "../../src/contract/operation.js";
import type { SkillServices } from "../../src/contract/services.js";

/** A sold operation over the few services that a test brings. */
export const boundSkill = (operation: PaidOperation, services: object) =>
	bindSkill(operation, services as SkillServices);
