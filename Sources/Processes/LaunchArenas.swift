import CBatonSpawn

/// The memory in which processes prepare themselves for their programs, while the thread that has started them goes on.
///
/// The memory is given back once no process uses it any more.
final class LaunchArenas {
    /// The arenas; nil where there are none, and each launch lets its thread wait.
    let pointer: OpaquePointer?

    /// Makes arenas for a single thread at a time.
    init() {
        pointer = cspawn_make_arenas()
    }

    deinit { cspawn_drop_arenas(pointer) }
}
