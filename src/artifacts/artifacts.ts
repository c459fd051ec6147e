export {
	artifactsOf,
	createArtifactRepository,
	createResultIds,
	type ResultIds,
	stageArtifact,
} from "./artifact-repository.js";
