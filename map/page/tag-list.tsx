import type { JSX, TargetedSubmitEvent } from 'preact';
import { useEffect } from 'preact/hooks';
import { signal } from '@preact/signals';
import type { Tag, Waypoint } from '../../client/waypoints/index.ts';
import { IconButton } from './parts.tsx';
import { service } from './service.ts';

/** All tags in use, offered while one is typed. */
const vocabulary = signal<readonly Tag[]>([]);

/** The tags of a waypoint, to add to and to remove. */
export function TagList({ waypoint }: { readonly waypoint: Waypoint }): JSX.Element {
  useEffect(() => {
    void service.fetchDistinctTags((tags) => (vocabulary.value = tags));
  }, []);
  const add = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const tag = (new FormData(form).get('tag') as string).trim();
    if (tag === '') return;
    form.reset();
    void service.addTag(waypoint, tag);
  };
  return (
    <div class="tags">
      <ul aria-label="Tags">
        {(waypoint.tags ?? []).map((tag) => (
          <li key={tag.raw} class="tag">
            {tag.display}
            <IconButton
              sign="×"
              label={`Remove tag ${tag.display}`}
              onClick={() => void service.deleteTag(waypoint, tag)}
            />
          </li>
        ))}
      </ul>
      <form class="row" onSubmit={add}>
        <label class="grow">
          <span class="unseen">New tag</span>
          <input name="tag" placeholder="Add a tag" list="tag-names" autocomplete="off" />
        </label>
        <datalist id="tag-names">
          {vocabulary.value.map(({ raw }) => (
            <option key={raw} value={raw} />
          ))}
        </datalist>
        <button type="submit">Add tag</button>
      </form>
    </div>
  );
}
