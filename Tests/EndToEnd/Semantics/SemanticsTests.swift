import Testing

/// One test for each numbered statement of the contract, against real processes, in clusters of each shape.
///
/// Each section of the contract is a nested suite in its own file. `README.md` in the folder above lists the tests that
/// show each statement. The tests run in parallel, as many at once as there are ``Lanes``. Each test has its own
/// cluster, and the time limit of ``withCluster(_:coordinator:_:)``.
@Suite("Semantics")
enum SemanticsTests {}
