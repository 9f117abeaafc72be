/** The places that can be chosen, each with its coordinates. The id is in the address of the page, after `#`. */
export const PLACES = [
  { id: "berlin", name: "Berlin", latitude: 52.52, longitude: 13.41 },
  { id: "cairo", name: "Cairo القاهرة", latitude: 30.04, longitude: 31.24 },
  { id: "mexico-city", name: "Mexico City", latitude: 19.43, longitude: -99.13 },
  { id: "mumbai", name: "Mumbai मुंबई", latitude: 19.08, longitude: 72.88 },
  { id: "nairobi", name: "Nairobi", latitude: -1.29, longitude: 36.82 },
  { id: "new-york", name: "New York", latitude: 40.71, longitude: -74.01 },
  { id: "reykjavik", name: "Reykjavík", latitude: 64.15, longitude: -21.94 },
  { id: "sydney", name: "Sydney", latitude: -33.87, longitude: 151.21 },
  { id: "tokyo", name: "Tokyo 東京", latitude: 35.68, longitude: 139.69 },
];

/** Returns the place that the address of the page names, or the first one. */
export const currentPlace = () => PLACES.find(({ id }) => location.hash === `#${id}`) ?? PLACES[0];
