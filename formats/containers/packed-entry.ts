import type { Buffer } from 'node:buffer';
import type { FailureReason } from '../../model/import.ts';

/** Reads a container from a place on. @returns how many bytes; fewer than asked for at its end only. */
export type ReadAt = (into: Buffer, at: number) => number;

/** A file in a container. */
export interface PackedEntry {
  /** Relative, with `/`; a plain path. */
  readonly name: string;
  readonly packing: 'stored' | 'deflate' | 'gzip';
  /** Where its packed bytes begin: in a zip, its local header. */
  readonly at: number;
  readonly packedSize: number;
  /** Bytes that it must unpack to. */
  readonly size: number;
  readonly crc: number;
}

/** The files in a container. */
export interface Listing {
  readonly entries: readonly PackedEntry[];
  readonly refused: readonly { readonly name: string; readonly reason: FailureReason }[];
}

/** Entries of one container (contract D2). */
export const maxEntries = 100_000;
/** Folders around an entry: more of them make paths that systems and programs refuse. */
export const maxFolders = 64;
/** Members of one gzip file; those that are appended to a log day by day make some hundreds. */
export const maxMembers = 1_000;
/** Bytes that one unpacks to, all in all, 64 GiB; and how many times its own size an entry may be. */
export const maxUnpackedBytes = 68_719_476_736;
export const maxRatio = 1_000;
