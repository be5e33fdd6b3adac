/** Texts of `mountinfo` as kernels write them. */

/** A sandbox that was built: one workspace, one protected name, one hidden folder with a space in its name. */
export const BUILT = `790 789 254:0 / / ro,nosuid,relatime - ext4 /dev/vda rw
791 790 0:50 / /dev rw,nosuid,relatime - tmpfs tmpfs rw,mode=755
800 790 0:51 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw
801 800 0:51 /sys /proc/sys ro,nosuid,nodev,noexec,relatime - proc proc rw
802 800 0:52 / /proc/1 ro,nosuid,nodev,relatime - tmpfs tmpfs rw,mode=0
811 790 254:0 /srv/ws /srv/ws rw,nosuid,nodev,relatime - ext4 /dev/vda rw
812 811 254:0 /srv/ws/.git /srv/ws/.git ro,nosuid,nodev,relatime - ext4 /dev/vda rw
813 811 0:53 / /srv/ws/a\\040b ro,nosuid,nodev,relatime - tmpfs tmpfs rw,mode=0
`;

/** The host has a file system on `docs`: it is seen in the root, in the workspace bound over that, and as planned. */
export const MOUNTED_OVER = `371 360 0:43 / / ro,nosuid,relatime - ext4 /dev/vda rw
372 371 0:44 / /srv/ws/docs ro,nosuid,nodev,relatime - tmpfs y rw
414 371 0:43 /srv/ws /srv/ws rw,nosuid,nodev,relatime - ext4 /dev/vda rw
415 414 0:44 / /srv/ws/docs rw,nosuid,nodev,relatime - tmpfs y rw
449 415 0:44 / /srv/ws/docs ro,nosuid,nodev,relatime - tmpfs y rw
`;

/** A host whose mounts are shared, with every way to be so. */
export const HOST_SHARED = `22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
23 22 0:20 / /slave rw master:1 - tmpfs tmpfs rw
24 22 0:21 / /both rw shared:4 master:2 - tmpfs tmpfs rw
25 22 0:22 / /private rw - tmpfs tmpfs rw
26 22 0:23 / /unbindable rw unbindable - tmpfs tmpfs rw
27 22 0:24 / /shared:1 rw - tmpfs shared:9 rw
`;

/** The kernel writes space, tab, line end and backslash as numbers, and leaves all else. */
export const ODD_NAMES = `30 1 0:1 / /a\\040b rw - tmpfs x rw
31 1 0:1 / /a\\011b rw - tmpfs x rw
32 1 0:1 / /a\\012b rw - tmpfs x rw
33 1 0:1 / /a\\134b rw - tmpfs x rw
34 1 0:1 / /a\\134040b rw - tmpfs x rw
35 1 0:1 / /é rw - tmpfs x rw
`;
