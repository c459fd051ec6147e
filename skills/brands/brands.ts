export { type BrandDirectory, createBrandDirectory } from "./brand-directory.js";
