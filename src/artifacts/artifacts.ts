export { artifactsOf, createArtifactRepository, stageArtifact } from "./artifact-repository.js";
export { createResultIds, type ResultIds } from "./result-ids.js";
