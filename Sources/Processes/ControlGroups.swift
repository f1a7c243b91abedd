/// The control groups of this process, each with its parents, as in cgroups(7).
///
/// A limit of a parent holds for its children, too. In a container the parents above the container are out of sight; the
/// container's own limits are usually at its root.
struct ControlGroups {
    /// A mounted hierarchy, and the place of this process in it.
    private struct Hierarchy {
        /// The controllers of the hierarchy; nil for version 2, where a group's files tell them.
        var controllers: Set<Substring>?
        /// The directories from the process's own group up to the root of the mount.
        var directories: [String]
    }

    private let hierarchies: [Hierarchy]

    /// Reads where this process is.
    ///
    /// - Parameter root: a directory in place of `/`, for tests.
    init(root: String = "") {
        let memberships = Self.memberships(KernelFile.text(of: root + "/proc/self/cgroup"))
        hierarchies = Self.mounts(KernelFile.text(of: root + "/proc/self/mountinfo")).compactMap { mount in
            guard let membership = memberships.first(where: { $0.isMember(of: mount) }) else { return nil }
            let names = mount.directories(of: membership.path).map { root + $0 }
            return Hierarchy(controllers: mount.isUnified ? nil : membership.controllers, directories: names)
        }
    }

    /// The limits in the groups of the process and in their parents.
    ///
    /// - Parameters:
    ///   - unified: reads the limit of a group of version 2 from its directory; nil for none.
    ///   - split: the same for a group of version 1.
    ///   - controller: the controller of the limit in version 1.
    func limits<Limit>(
        inUnified unified: (_ directory: String) -> Limit?,
        inSplit split: (_ directory: String) -> Limit?,
        of controller: String
    ) -> [Limit] {
        hierarchies.flatMap { hierarchy in
            guard let controllers = hierarchy.controllers else { return hierarchy.directories.compactMap(unified) }
            return controllers.contains(controller[...]) ? hierarchy.directories.compactMap(split) : []
        }
    }

    /// The group in which this process is.
    struct Own: Equatable {
        var directory: String
        /// The directory of the group above; nil if that is out of sight.
        var parent: String?
        /// Whether the group belongs to version 2.
        var isUnified: Bool
    }

    /// The process's own group in the hierarchy of a controller; nil if the hierarchy or the group is out of sight.
    func own(of controller: String) -> Own? {
        for hierarchy in hierarchies {
            guard let directory = hierarchy.directories.first else { continue }
            let controllers = hierarchy.controllers ?? Self.controllers(inUnified: directory)
            guard controllers.contains(controller[...]) else { continue }
            return Own(
                directory: directory,
                parent: hierarchy.directories.dropFirst().first,
                isUnified: hierarchy.controllers == nil
            )
        }
        return nil
    }

    /// The controllers that a group of version 2 has.
    private static func controllers(inUnified directory: String) -> Set<Substring> {
        Set(KernelFile.text(of: directory + "/cgroup.controllers").split(whereSeparator: \.isWhitespace))
    }

    // MARK: - The process's groups

    /// A line of `/proc/self/cgroup`: `4:memory:/path`, and `0::/path` for version 2.
    private struct Membership {
        var isUnified: Bool
        var controllers: Set<Substring>
        var path: Substring

        func isMember(of mount: Mount) -> Bool {
            isUnified == mount.isUnified && (isUnified || controllers.isSubset(of: mount.options))
        }
    }

    private static func memberships(_ text: String) -> [Membership] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return nil }
            let controllers = Set(fields[1].split(separator: ","))
            return Membership(isUnified: controllers.isEmpty, controllers: controllers, path: fields[2])
        }
    }

    /// A line of `/proc/self/mountinfo` (proc_pid_mountinfo(5)) with a hierarchy.
    private struct Mount {
        var isUnified: Bool
        var options: Set<Substring>
        /// The group that is mounted.
        var root: String
        /// Where it is mounted.
        var point: String

        /// The directories of a group and its parents, as far as they are mounted; the root alone for a group elsewhere.
        func directories(of path: Substring) -> [String] {
            let prefix = root == "/" ? "" : root
            guard path.hasPrefix(prefix), !path.hasPrefix("/..") else { return [point] }
            var names = path.dropFirst(prefix.count).split(separator: "/")
            var directories: [String] = []
            while !names.isEmpty {
                directories.append(point + "/" + names.joined(separator: "/"))
                names.removeLast()
            }
            return directories + [point]
        }
    }

    private static func mounts(_ text: String) -> [Mount] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            // The optional fields end with a hyphen; the file system's type, its source and its options follow.
            guard let hyphen = fields.firstIndex(of: "-"), hyphen >= 5, fields.count > hyphen + 3 else { return nil }
            let type = fields[hyphen + 1]
            guard type == "cgroup" || type == "cgroup2" else { return nil }
            return Mount(
                isUnified: type == "cgroup2",
                options: Set(fields[hyphen + 3].split(separator: ",")),
                root: unescaped(fields[3]),
                point: unescaped(fields[4])
            )
        }
    }

    /// A path of `/proc/self/mountinfo`, where spaces, tabs, line ends and backslashes are octal numbers.
    private static func unescaped(_ path: Substring) -> String {
        guard path.contains("\\") else { return String(path) }
        var bytes: [UInt8] = []
        var rest = Array(path.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8) {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
