export { createDossier } from "./dossier.js";
export { createDossiers, type Dossiers } from "./dossier-archive.js";
export { DOSSIER_LIMITS } from "./dossier-limits.js";
export { createDossierRefresh } from "./dossier-refresh.js";
export {
	dossierFields,
	dossierIdField,
	dossierOutput,
	dossierSchema,
	findingSchema,
	refreshOutput,
} from "./dossier-wire.js";
