import type { AdminUnit } from '../admin-rows.ts';
import type { Zone } from '../../calendar/zone.ts';

/** The place of a position, and which days count there. */
export interface Spot {
  readonly unit: AdminUnit;
  readonly zone: Zone;
  readonly lonE7: number;
}

/** Observations in one unit and zone, without a pause of half a day. */
export interface Span {
  readonly spot: Spot;
  readonly fromMs: number;
  toMs: number;
  toLonE7: number;
  /** In the air: above a country is not in it. */
  readonly isFlown: boolean;
}
