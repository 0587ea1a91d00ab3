export type { ConnectionOptions } from './connection.ts';
export {
  commandCredentials,
  firstOf,
  gitCredentials,
  passwordCredentials,
  type CredentialRequest,
  type CredentialSource,
} from './credentials.ts';
export type { DownloadOptions, TransferOptions } from './download.ts';
export { identifyFile } from './identify-file.ts';
export { ObjectClient, type KnownObject } from './object-client.ts';
export { ObjectClientError, type ObjectFailure } from './object-error.ts';
export type { UploadOutcome } from './upload.ts';
