// Command asynq measures how late hibiken/asynq is with tasks that are all due
// in one second, tuned as far as its options go: it looks for due tasks every
// 200 ms and for work every 100 ms. It is a module of its own, lest the product
// depend on asynq.
//
//	go run . 127.0.0.1:6379 10000 16
//
// prints how many microseconds each task was late, one a line.
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/hibiken/asynq"
)

// payload is as long as a reminder's text would be.
const payload = 200

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: asynq ADDRESS TASKS SENDERS")
	}
	tasks, err1 := strconv.Atoi(os.Args[2])
	senders, err2 := strconv.Atoi(os.Args[3])
	if err1 != nil || err2 != nil {
		log.Fatal("not a number")
	}
	redis := asynq.RedisClientOpt{Addr: os.Args[1]}
	due := time.Now().Add(time.Second + time.Duration(tasks)*100*time.Microsecond).Truncate(time.Second).Add(time.Second)
	if err := enqueue(redis, tasks, due); err != nil {
		log.Fatal(err)
	}
	if time.Now().After(due.Add(-300 * time.Millisecond)) {
		log.Fatal("adding took too long")
	}
	out := bufio.NewWriter(os.Stdout)
	for _, late := range serve(redis, tasks, senders, due) {
		fmt.Fprintln(out, late.Microseconds())
	}
	out.Flush()
}

func enqueue(redis asynq.RedisClientOpt, tasks int, due time.Time) error {
	client := asynq.NewClient(redis)
	defer client.Close()
	var wg sync.WaitGroup
	errs := make([]error, 64)
	for g := range errs {
		wg.Go(func() {
			for i := g; i < tasks && errs[g] == nil; i += len(errs) {
				_, errs[g] = client.Enqueue(asynq.NewTask("remind", make([]byte, payload)), asynq.ProcessAt(due), asynq.TaskID(fmt.Sprint("task", i)))
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func serve(redis asynq.RedisClientOpt, tasks, senders int, due time.Time) (late []time.Duration) {
	done := make(chan time.Duration, tasks)
	server := asynq.NewServer(redis, asynq.Config{
		Concurrency: senders, DelayedTaskCheckInterval: 200 * time.Millisecond, TaskCheckInterval: 100 * time.Millisecond, LogLevel: asynq.FatalLevel,
	})
	err := server.Start(asynq.HandlerFunc(func(context.Context, *asynq.Task) error {
		done <- time.Since(due)
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	for range tasks {
		late = append(late, <-done)
	}
	server.Shutdown()
	return late
}
