#if THREAD_SANITIZER
    import Foundation

    /// Stands in for `Synchronization.Mutex` where the thread sanitizer watches.
    ///
    /// The sanitizer does not see the standard library's lock on Linux and takes all that it guards for a race; it knows
    /// the lock of pthreads. Other modules compile this file too, through symbolic links.
    struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // @unchecked Sendable: the value is reached under the lock only, and both live as long as the mutex.
        private let value: UnsafeMutablePointer<Value>
        private let lock: UnsafeMutablePointer<pthread_mutex_t>

        init(_ initialValue: consuming sending Value) {
            value = .allocate(capacity: 1)
            value.initialize(to: initialValue)
            lock = .allocate(capacity: 1)
            pthread_mutex_init(lock, nil)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            pthread_mutex_destroy(lock)
            lock.deallocate()
        }

        borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        }
    }
#endif
