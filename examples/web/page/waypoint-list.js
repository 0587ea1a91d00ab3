/** Lists waypoints. A component gets the service through its `api` property and lives on its signals. */
class WaypointList extends HTMLElement {
  #api;
  #unsubscribe = [];

  get api() {
    return this.#api;
  }

  set api(api) {
    this.#leave();
    this.#api = api;
    this.#unsubscribe = [
      api.subscribe('waypointsLoaded', (waypoints) => this.show(waypoints)),
      api.subscribe('suggestResults', ({ suggestions }, query) => {
        if (query !== '') this.show(suggestions);
      }),
      // What has changed is asked for anew; the daemon answers "unchanged" where it is not.
      api.subscribe('waypointAdded', () => void api.getWaypoints()),
      api.subscribe('waypointDeleted', () => void api.getWaypoints()),
    ];
  }

  disconnectedCallback() {
    this.#leave();
  }

  show(places) {
    const list = document.createElement('ul');
    for (const place of places) list.append(this.#item(place));
    this.replaceChildren(list);
  }

  #item({ name, lat, lon, bookmark, tags = [] }) {
    const item = document.createElement('li');
    // Names are texts of other people's files: never markup.
    item.textContent = [name, ...tags.map(({ display }) => display)].join(' · ');
    if (bookmark === true) {
      const button = document.createElement('button');
      button.textContent = 'Delete';
      button.addEventListener('click', () => void this.#api.deleteWaypoint({ name, lat, lon }));
      item.append(' ', button);
    }
    return item;
  }

  #leave() {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#unsubscribe = [];
  }
}

customElements.define('waypoint-list', WaypointList);
