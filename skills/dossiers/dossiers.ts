export { createDossiers, type Dossiers } from "./dossier-archive.js";
