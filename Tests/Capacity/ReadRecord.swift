import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

/// A record that was read for a coordinator.
struct ReadRecord {
    let store: SQLStore
    let state: StoredState
    /// The processor time of the reading.
    let time: Duration

    /// Opens and reads the record on a disk.
    init(on disk: MemoryDisk, as incarnation: Incarnation) throws(StoreError) {
        let start = ThreadTime.now
        store = try SQLStore(on: disk)
        state = try store.open(as: incarnation)
        time = ThreadTime.now - start
    }
}
